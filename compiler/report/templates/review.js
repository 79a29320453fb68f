"use strict";
(() => {
  const root = document.documentElement;
  root.classList.add("js");
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const canvas = document.querySelector(".canvas");
  let svg = canvas.querySelector("svg");
  const text = document.querySelector(".text");
  const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;

  // Keys name what can be selected; a card or detail bears the key, and names its node, edge or neighbours in the graph.
  const cards = new Map(all("[data-key]").map((card) => [card.dataset.key, card]));
  const shapes = new Map();
  const keyOf = new Map();
  for (const card of cards.values()) {
    if (card.dataset.node !== undefined) keyOf.set("node=" + card.dataset.node, card.dataset.key);
    if (card.dataset.edge !== undefined) keyOf.set("edge=" + card.dataset.edge, card.dataset.key);
    if (card.dataset.hash !== undefined) keyOf.set(card.dataset.hash, card.dataset.key);
  }
  const bind = () => {
    shapes.clear();
    for (const shape of all("[data-node], [data-edge]", svg)) {
      const name = shape.dataset.node !== undefined ? "node=" + shape.dataset.node : "edge=" + shape.dataset.edge;
      shape.dataset.shape = keyOf.get(name) || "";
      if (shape.dataset.shape) shapes.set(shape.dataset.shape, shape);
    }
  };
  bind();
  const marks = all("mark.m").map((mark) => ({ mark, refs: mark.dataset.refs.split(" "), quotes: mark.dataset.ev.split(" ") }));
  let selected = null;

  // The graph: pan, zoom, fit.
  const measured = () => ({ width: svg.viewBox.baseVal.width, height: svg.viewBox.baseVal.height });
  let size = measured();
  const view = { x: 0, y: 0, scale: 1 };
  const draw = () => {
    svg.style.transform = `translate(${view.x}px, ${view.y}px) scale(${view.scale})`;
    canvas.dispatchEvent(new CustomEvent("flowc:moved", { detail: { ...view } }));
  };
  const place = (scale, top) => {
    view.scale = scale;
    view.x = Math.max((canvas.clientWidth - size.width * scale) / 2, top ? 0 : -1e9);
    view.y = top ? 0 : (canvas.clientHeight - size.height * scale) / 2;
    draw();
  };
  const fit = () => place(Math.min(canvas.clientWidth / size.width, canvas.clientHeight / size.height, 1.4), false);
  const fitWidth = () => place(Math.min(canvas.clientWidth / size.width, 1.15), true);
  const start = () => {
    const whole = Math.min(canvas.clientWidth / size.width, canvas.clientHeight / size.height, 1);
    if (whole >= 0.8) fit();
    else place(Math.max(Math.min(canvas.clientWidth / size.width, 1), 0.55), true);
  };
  const zoom = (factor, x = canvas.clientWidth / 2, y = canvas.clientHeight / 2) => {
    const scale = Math.min(Math.max(view.scale * factor, 0.08), 4);
    view.x = x - ((x - view.x) * scale) / view.scale;
    view.y = y - ((y - view.y) * scale) / view.scale;
    view.scale = scale;
    draw();
  };
  const reveal = (shape) => {
    const box = (shape.querySelector(".chip, .shape") || shape).getBBox();
    const left = view.x + box.x * view.scale, top = view.y + box.y * view.scale;
    const width = box.width * view.scale, height = box.height * view.scale;
    if (left < 8 || left + width > canvas.clientWidth - 8) view.x += canvas.clientWidth / 2 - left - width / 2;
    if (top < 8 || top + height > canvas.clientHeight - 8) view.y += canvas.clientHeight / 2 - top - height / 2;
    draw();
  };
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    const box = canvas.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) {
      zoom(Math.exp(-event.deltaY * 0.0022), event.clientX - box.left, event.clientY - box.top);
    } else {
      view.x -= event.shiftKey ? event.deltaY : event.deltaX;
      view.y -= event.shiftKey ? 0 : event.deltaY;
      draw();
    }
  }, { passive: false });
  let held = null, moved = false;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held = { x: event.clientX - view.x, y: event.clientY - view.y, id: event.pointerId };
    moved = false;
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!held) return;
    const x = event.clientX - held.x, y = event.clientY - held.y;
    if (!moved && Math.hypot(x - view.x, y - view.y) < 4) return;
    if (!moved) canvas.setPointerCapture(held.id);
    moved = true;
    canvas.classList.add("drag");
    view.x = x;
    view.y = y;
    draw();
  });
  for (const name of ["pointerup", "pointercancel"]) {
    canvas.addEventListener(name, () => { held = null; canvas.classList.remove("drag"); });
  }
  canvas.addEventListener("click", (event) => {
    if (moved) return;
    const shape = event.target.closest("[data-shape]");
    if (shape && shape.dataset.shape) select(shape.dataset.shape);
    else if (!shape) clear();
  });

  // Tabs.
  const tabs = all("[role=tab]");
  const open = (name) => {
    for (const tab of tabs) {
      const on = tab.dataset.tab === name;
      tab.setAttribute("aria-selected", on);
      tab.tabIndex = on ? 0 : -1;
      document.getElementById("panel-" + tab.dataset.tab).classList.toggle("open", on);
    }
  };
  document.querySelector("[role=tablist]").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = tabs[(tabs.indexOf(document.activeElement) + step + tabs.length) % tabs.length];
    open(next.dataset.tab);
    next.focus();
    event.preventDefault();
  });

  // Selection: the card or detail, the shapes, the words.
  const scrollTo = (box, element, share, quick) => {
    const top = element.getBoundingClientRect().top - box.getBoundingClientRect().top + box.scrollTop;
    box.scrollTo({ top: Math.max(top - box.clientHeight * share, 0), behavior: calm || quick ? "auto" : "smooth" });
  };
  const clear = () => {
    selected = null;
    for (const element of all(".on:not(.doc-tab), .now, .at, .detail.open")) element.classList.remove("on", "now", "at", "open");
    document.querySelector(".hint").hidden = false;
    history.replaceState(null, "", location.pathname + location.search);
  };
  function select(key, quote, quick, stay) {
    const card = cards.get(key);
    if (!card) return;
    clear();
    selected = key;
    const shape = shapes.get(key);
    if (shape) {
      shape.classList.add("on");
      reveal(shape);
    }
    const near = (card.dataset.graph || "").split(" ").map((other) => shapes.get(other)).filter(Boolean);
    for (const other of near) other.classList.add("on");
    if (near.length) reveal(near[0]);
    card.classList.add(card.classList.contains("detail") ? "open" : "on");
    document.querySelector(".hint").hidden = card.classList.contains("detail");
    const panel = card.closest(".panel");
    if (!stay) open(panel.id.replace("panel-", ""));
    if (card.classList.contains("detail")) panel.scrollTop = 0;
    else scrollTo(panel, card, 0.1, quick);
    let mine = marks.filter((one) => one.refs.includes(key));
    if (!mine.length) {
      const others = (card.dataset.graph || "").split(" ");
      mine = marks.filter((one) => one.refs.some((other) => others.includes(other)));
    }
    for (const one of mine) one.mark.classList.add("on");
    const first = card.querySelector("[data-ev]");
    const wanted = quote !== undefined ? quote : first ? first.dataset.ev : null;
    const words = marks.filter((one) => wanted !== null && one.quotes.includes(wanted));
    for (const one of words) one.mark.classList.add("now");
    const target = (words[0] || mine[0] || {}).mark;
    const block = card.dataset.at && all("[data-block]", text).find((one) => one.dataset.block === card.dataset.at);
    if (block) block.classList.add("at");
    if (target || block) scrollTo(text, block || target, 0.3, quick);
    if (card.dataset.hash) history.replaceState(null, "", "#" + card.dataset.hash.split("=").map(encodeURIComponent).join("="));
  }
  const pickMark = (mark) => {
    const refs = mark.dataset.refs.split(" ");
    const key = refs[(refs.indexOf(selected) + 1) % refs.length];
    const shared = marks.find((one) => one.mark === mark);
    const quote = cards.get(key) && all("[data-ev]", cards.get(key)).map((one) => one.dataset.ev).find((number) => shared.quotes.includes(number));
    select(key, quote);
  };

  const actions = { in: () => zoom(1.2), out: () => zoom(1 / 1.2), fit, width: fitWidth, print: () => print() };
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-do], [data-select], [data-tab], [data-doc], mark.m");
    if (!button) return;
    if (button.matches("mark.m")) pickMark(button);
    else if (button.dataset.do) actions[button.dataset.do]();
    else if (button.dataset.select) select(button.dataset.select, button.dataset.ev);
    else if (button.dataset.tab) open(button.dataset.tab);
    else if (button.dataset.doc) scrollTo(text, document.getElementById("doc-" + button.dataset.doc), 0);
  });

  // Keys: along the edges with the arrows, Enter or space to select, + - 0 to zoom, Escape to clear.
  const follow = (shape, key) => {
    const id = shape.dataset.node;
    const forward = key === "ArrowDown" || key === "ArrowRight";
    const edges = all(".edge", svg);
    if (key === "ArrowDown" || key === "ArrowUp") {
      const edge = edges.find((one) => (forward ? one.dataset.from : one.dataset.to) === id);
      return edge && all(".node", svg).find((one) => one.dataset.node === (forward ? edge.dataset.to : edge.dataset.from));
    }
    const before = edges.find((one) => one.dataset.to === id);
    const beside = before ? edges.filter((one) => one.dataset.from === before.dataset.from).map((one) => one.dataset.to) : [];
    const next = beside[(beside.indexOf(id) + (forward ? 1 : -1) + beside.length) % beside.length];
    return all(".node", svg).find((one) => one.dataset.node === next);
  };
  document.addEventListener("keydown", (event) => {
    const at = event.target;
    if (event.key === "Escape") return clear();
    if ((event.key === "Enter" || event.key === " ") && at.matches("mark.m, .node, .edge")) {
      event.preventDefault();
      if (at.matches("mark.m")) pickMark(at);
      else if (at.dataset.shape) select(at.dataset.shape);
    } else if (event.key.startsWith("Arrow") && at.matches(".node")) {
      event.preventDefault();
      const next = follow(at, event.key);
      if (next) {
        next.focus();
        reveal(next);
        if (next.dataset.shape) select(next.dataset.shape);
      }
    } else if (at.closest(".graph") && !event.ctrlKey && !event.metaKey) {
      if (event.key === "+" || event.key === "=") zoom(1.2);
      if (event.key === "-") zoom(1 / 1.2);
      if (event.key === "0") fit();
    }
  });

  // What other scripts of the page ask for: something selected with the panel left as it is, another drawing, a place.
  document.addEventListener("flowc:select", (event) => { if (cards.has(event.detail)) select(event.detail, undefined, true, true); else clear(); });
  document.addEventListener("flowc:open", (event) => open(event.detail));
  document.addEventListener("flowc:drawn", () => {
    svg = canvas.querySelector("svg");
    size = measured();
    bind();
    start();
    if (selected && shapes.has(selected)) { shapes.get(selected).classList.add("on"); reveal(shapes.get(selected)); }
  });
  document.addEventListener("flowc:centre", (event) => {
    view.x = canvas.clientWidth / 2 - event.detail.x * view.scale;
    view.y = canvas.clientHeight / 2 - event.detail.y * view.scale;
    draw();
  });

  // Columns.
  const panes = all("main > .pane");
  const tellShares = () => {
    for (const splitter of all(".splitter")) {
      const [left, right] = [0, 1].map((next) => panes[Number(splitter.dataset.split) + next].clientWidth);
      splitter.setAttribute("aria-valuenow", Math.round((100 * left) / (left + right)));
    }
  };
  const resize = (index, delta) => {
    const widths = panes.map((pane) => pane.clientWidth);
    const moved = Math.min(Math.max(delta, 220 - widths[index]), widths[index + 1] - 220);
    widths[index] += moved;
    widths[index + 1] -= moved;
    widths.forEach((width, number) => document.querySelector("main").style.setProperty("--w" + number, width + "fr"));
    tellShares();
  };
  for (const splitter of all(".splitter")) {
    const index = Number(splitter.dataset.split);
    let from = null;
    splitter.addEventListener("pointerdown", (event) => { from = event.clientX; splitter.setPointerCapture(event.pointerId); splitter.classList.add("drag"); });
    splitter.addEventListener("pointermove", (event) => { if (from !== null) { resize(index, event.clientX - from); from = event.clientX; } });
    splitter.addEventListener("pointerup", () => { from = null; splitter.classList.remove("drag"); });
    splitter.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -24, ArrowRight: 24 }[event.key];
      if (step) { resize(index, step); event.preventDefault(); }
    });
  }
  tellShares();

  // Which document is in view.
  const docs = all(".doc"), docTabs = all(".doc-tab");
  const watch = () => {
    const top = text.getBoundingClientRect().top + text.clientHeight / 3;
    const index = Math.max(docs.findLastIndex((doc) => doc.getBoundingClientRect().top <= top), 0);
    docTabs.forEach((tab, number) => tab.classList.toggle("on", number === index));
  };
  text.addEventListener("scroll", watch, { passive: true });

  const fromHash = () => {
    const name = location.hash.slice(1).split("=").map((part) => { try { return decodeURIComponent(part); } catch { return part; } }).join("=");
    if (keyOf.has(name)) select(keyOf.get(name), undefined, true);
  };
  addEventListener("hashchange", fromHash);
  let size0 = canvas.clientWidth;
  addEventListener("resize", () => { if (canvas.clientWidth !== size0 && !selected) start(); size0 = canvas.clientWidth; });
  start();
  watch();
  fromHash();
})();
