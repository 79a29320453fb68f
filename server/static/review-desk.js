"use strict";
(() => {
  htmx.config.defaultSettleDelay = 0; // a key that is pressed at once finds forms that are htmx's already
  htmx.config.responseHandling = [
    { code: "204", swap: false }, { code: "[23]..", swap: true }, { code: "409|422", swap: true, error: false }, { code: "...", swap: false, error: true },
  ];
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const byId = (id) => document.getElementById(id);
  const desk = byId("desk"), address = desk.dataset.address, canvas = document.querySelector(".canvas");
  const text = document.querySelector(".text");
  const ask = (path, values) => htmx.ajax("GET", `${address}/${path}?${new URLSearchParams(values)}`, { source: desk, target: "#card", swap: "outerHTML" }).catch(() => {}); // a later one took its place
  const emit = (name, detail) => document.dispatchEvent(new CustomEvent("flowc:" + name, { detail }));
  const say = (words) => { byId("fault").textContent = words; };

  // The queue: which line is shown, and which ones the filter leaves.
  const rows = () => all("#queue-list [data-item]");
  const shown = () => rows().filter((row) => row.offsetParent !== null);
  const current = () => byId("card").dataset.item;
  let wanted = current();
  const load = (item) => { wanted = item; return ask("card", { item }); };
  const go = (step) => {
    const listed = shown(), at = listed.findIndex((row) => row.dataset.item === wanted);
    const next = at < 0 ? listed[0] : listed[at + step];
    if (next) load(next.dataset.item);
  };
  const goOpen = () => {
    const listed = rows(), at = listed.findIndex((row) => row.dataset.item === wanted);
    const next = [...listed.slice(at + 1), ...listed.slice(0, at + 1)].find((row) => row.closest(".is-open, .is-lost, .is-reject"));
    if (next) load(next.dataset.item);
  };
  const tellRow = () => {
    for (const row of rows()) {
      const on = row.dataset.item === current();
      if (on) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
      if (on) row.scrollIntoView({ block: "nearest" });
    }
  };
  const tellStates = () => {
    const open = new Map();
    for (const row of all("#queue-list [data-graph-key]")) {
      const key = row.dataset.graphKey, state = open.get(key) || { open: false, risky: false };
      state.open ||= Boolean(row.closest(".is-open, .is-lost, .is-reject"));
      state.risky ||= Boolean(row.closest(".risky"));
      open.set(key, state);
    }
    for (const shape of all("[data-shape]", canvas)) {
      const state = open.get(shape.dataset.shape) || { open: false, risky: false };
      shape.classList.toggle("is-open", state.open);
      shape.classList.toggle("is-done", !state.open);
      shape.classList.toggle("risky", state.risky);
    }
  };
  const show = byId("show");
  const filter = () => { byId("queue-list").dataset.show = canvas.dataset.show = show.value; };
  show.addEventListener("change", filter);

  // The source: words are found in their block, what is left out is opened first.
  const textNodes = (block) => {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT, (node) => node.parentElement.closest(".fate, .tag") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    const found = [];
    while (walker.nextNode()) found.push(walker.currentNode);
    return found;
  };
  const rangeOf = (block, words) => {
    const nodes = textNodes(block), whole = nodes.map((node) => node.data).join(""), start = whole.indexOf(words);
    if (start < 0 || !words) return null;
    const range = document.createRange();
    let at = 0;
    for (const node of nodes) {
      const from = start - at, to = start + words.length - at;
      if (from >= 0 && from < node.length) range.setStart(node, from);
      if (to > 0 && to <= node.length) range.setEnd(node, to);
      at += node.length;
    }
    return range;
  };
  const blockOf = (name) => text.querySelector(`[data-block="${CSS.escape(name)}"]`);
  const opened = async (name, number) => {
    if (blockOf(name)) return blockOf(name);
    const button = all(".left-out [data-first]", text).find((one) => Number(one.dataset.first) <= number && number <= Number(one.dataset.last));
    if (!button) return null;
    const row = button.closest("tr.left-out");
    await htmx.ajax("GET", button.getAttribute("hx-get"), { source: button, target: row || button.closest(".left-out"), swap: "outerHTML" }).catch(() => {});
    return blockOf(name);
  };
  const toView = (range) => {
    const box = range.getBoundingClientRect(), frame = text.getBoundingClientRect();
    if (box.top < frame.top + 20 || box.bottom > frame.bottom - 20) text.scrollTop += box.top - frame.top - text.clientHeight * 0.3;
  };
  const mark = async (quotes, first = 0) => {
    const ranges = [];
    for (const block of all(".here", text)) block.classList.remove("here");
    for (const quote of quotes) {
      const block = await opened(quote.block, quote.number);
      if (!block) continue;
      const range = rangeOf(block, quote.words);
      if (range) ranges.push(range);
      else block.classList.add("here");
    }
    if (window.Highlight) CSS.highlights.set("words", new Highlight(...ranges));
    else for (const range of ranges) range.startContainer.parentElement.closest("[data-block]").classList.add("here");
    if (ranges[first] || ranges[0]) toView(ranges[first] || ranges[0]);
    else if (text.querySelector(".here")) toView(text.querySelector(".here"));
  };
  const quotesOfCard = () => all("#card [data-quote-block]").filter((one) => one.dataset.quoteBlock).map((one) => ({
    block: one.dataset.quoteBlock, number: Number(one.dataset.number), words: one.querySelector("q").textContent,
  }));

  // The card: when another one is there, everything else shows the same thing.
  const settle = () => {
    const card = byId("card");
    wanted = card.dataset.item;
    emit("open", "card");
    emit("select", card.dataset.graphKey || "");
    tellRow();
    tellStates();
    filter();
    mark(quotesOfCard());
    card.closest(".panel").scrollTop = 0;
    history.replaceState(null, "", `${address}${wanted ? `?${new URLSearchParams({ item: wanted })}` : ""}`);
    const alert = card.querySelector(".conflict");
    const heading = byId("card-title");
    if (alert) { alert.tabIndex = -1; alert.focus(); } else heading.focus({ preventScroll: true });
  };
  const close = () => {
    for (const one of all("#card .entry")) one.hidden = true;
    for (const one of all("#card [data-open]")) one.setAttribute("aria-expanded", "false");
    if (byId("preview")) byId("preview").replaceChildren();
  };
  const openEntry = (button) => {
    const entry = byId(button.getAttribute("aria-controls")), was = !entry.hidden;
    if (!was) close();
    entry.hidden = false;
    button.setAttribute("aria-expanded", "true");
    if (button.dataset.open === "correct" && !entry.childElementCount) htmx.trigger(button, "open");
    else (entry.querySelector("#correction .field :is(input, select, textarea)") || entry.querySelector("textarea, input:not([type=hidden])")).focus();
    entry.scrollIntoView({ block: "nearest" });
  };
  const toCard = () => { emit("open", "card"); byId("card-title").focus({ preventScroll: true }); };
  const acts = {
    bulk: () => ask("agreed", {}), close: () => { close(); toCard(); }, back: () => (wanted ? load(wanted) : ask("card", { graph: "" })),
    help: () => byId("help").showModal(),
  };

  document.addEventListener("click", (event) => {
    const row = event.target.closest("#queue-list [data-item]");
    if (row && !event.ctrlKey && !event.metaKey && !event.shiftKey) { event.preventDefault(); load(row.dataset.item); return; }
    const section = event.target.closest(".canvas .node");
    if (isSection(section)) { unfold(section); return; }
    const shape = event.target.closest(".canvas [data-shape]");
    if (shape && shape.dataset.shape && !canvas.classList.contains("drag")) { ask("card", { graph: shape.dataset.shape }); return; }
    const button = event.target.closest("[data-act], [data-open], [data-quote-block], [data-block-at], [data-shape-at], [data-item-at]");
    if (!button) return;
    if (button.dataset.act) acts[button.dataset.act]();
    else if (button.dataset.open) openEntry(button);
    else if (button.dataset.quoteBlock) { const own = quotesOfCard(); mark(own, own.findIndex((one) => one.block === button.dataset.quoteBlock && one.words === button.querySelector("q").textContent)); }
    else if (button.dataset.blockAt) mark([{ block: button.dataset.blockAt, number: Number(button.dataset.number), words: button.dataset.words }]);
    else if (button.dataset.shapeAt) { emit("select", button.dataset.shapeAt); ask("card", { graph: button.dataset.shapeAt }); }
    else if (button.dataset.itemAt) load(button.dataset.itemAt);
  });

  // Names are offered while a condition is being written.
  const begun = /[\p{L}\p{N}_.$-]*$/u;
  const listOf = (field) => byId(field.getAttribute("aria-controls"));
  const unlist = (field) => { const list = listOf(field); list.hidden = true; list.replaceChildren(); field.setAttribute("aria-expanded", "false"); field.removeAttribute("aria-activedescendant"); };
  const offer = async (field) => {
    const before = field.value.slice(0, field.selectionStart);
    const word = before.match(begun)[0];
    if (/^\d/.test(word) || (!word && !/(?:[=!]=|\bin)\s*$/.test(before))) { unlist(field); return; }
    const answer = await fetch(`${address}/names?${new URLSearchParams({ text: field.value, at: [...before].length })}`);
    if (!answer.ok || document.activeElement !== field || before !== field.value.slice(0, field.selectionStart)) return;
    const list = listOf(field);
    list.innerHTML = await answer.text();
    list.hidden = !list.childElementCount;
    field.setAttribute("aria-expanded", String(!list.hidden));
    field.removeAttribute("aria-activedescendant");
  };
  const choose = (field, step) => {
    const options = all("[role=option]", listOf(field)), at = options.findIndex((one) => one.getAttribute("aria-selected") === "true");
    const next = options[(at + step + options.length) % options.length];
    for (const one of options) one.setAttribute("aria-selected", String(one === next));
    field.setAttribute("aria-activedescendant", next.id);
    next.scrollIntoView({ block: "nearest" });
  };
  const insert = (field, name) => {
    const at = field.selectionStart, start = at - field.value.slice(0, at).match(begun)[0].length;
    field.setRangeText(name, start, at, "end");
    unlist(field);
    field.dispatchEvent(new Event("change", { bubbles: true }));
  };
  document.addEventListener("input", (event) => {
    if (event.target.matches("textarea.infix")) offer(event.target);
    if (event.target.closest("#correction") && byId("preview")) byId("preview").replaceChildren();
  });
  document.addEventListener("pointerdown", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option) return;
    event.preventDefault();
    insert(document.querySelector(`[aria-controls="${option.parentElement.id}"]`), option.dataset.name);
  });
  document.addEventListener("focusout", (event) => { if (event.target.matches("textarea.infix")) unlist(event.target); });
  const inList = (event, field) => {
    const list = listOf(field);
    if (list.hidden) return false;
    const on = list.querySelector("[aria-selected=true]");
    if (event.key === "ArrowDown" || event.key === "ArrowUp") choose(field, event.key === "ArrowDown" ? 1 : -1);
    else if ((event.key === "Tab" || event.key === "Enter") && on) insert(field, on.dataset.name);
    else if (event.key === "Escape") unlist(field);
    else return false;
    event.preventDefault();
    return true;
  };

  // Source and graph share their column, or one has it all.
  const share = () => {
    const views = document.querySelector(".views");
    views.dataset.share = { "": "graph", graph: "source", source: "" }[views.dataset.share || ""];
    dispatchEvent(new Event("resize"));
    drawView();
  };

  // The graph by section: a folded one is opened, and what is open stays so.
  const unfolded = new Set();
  const unfold = (shape) => {
    const name = shape.dataset.node.slice("section:".length);
    unfolded.add(name);
    const query = new URLSearchParams([["view", "sections"], ...[...unfolded].map((one) => ["unfolded", one])]);
    htmx.ajax("GET", `${address}/graph?${query}`, { source: desk, target: ".canvas", swap: "innerHTML" }).catch(() => {});
  };
  const isSection = (shape) => shape && (shape.dataset.node || "").startsWith("section:");
  byId("view").addEventListener("change", () => unfolded.clear());
  const cycle = () => {
    const view = byId("view");
    view.selectedIndex = (view.selectedIndex + 1) % view.options.length;
    view.dispatchEvent(new Event("change", { bubbles: true }));
  };

  // Keys. In a field they write; Ctrl+Enter sends it and Escape leaves it.
  const press = (key) => { const button = document.querySelector(`#card [data-key="${key}"]`); if (button && !button.disabled) button.click(); };
  const keys = {
    j: () => go(1), k: () => go(-1), n: goOpen, u: () => byId("undo") && byId("undo").requestSubmit(), b: () => document.querySelector("[data-act=bulk]") && acts.bulk(),
    "/": () => byId("search").select(), f: () => show.focus(), s: () => text.focus(), "?": acts.help, t: toCard, l: cycle, x: share,
    g: () => { const node = canvas.querySelector(".node.on") || canvas.querySelector(".node"); if (node) node.focus(); },
    v: () => { const data = document.querySelector("#card details.data"); if (data) data.open = !data.open; },
  };
  addEventListener("keydown", (event) => {
    const at = event.target, field = at.matches("input, textarea, select");
    if (byId("help").open) return;
    if (at.matches("textarea.infix") && inList(event, at)) { event.stopPropagation(); return; }
    if ((event.ctrlKey || event.metaKey) && event.key === "Enter") {
      const save = byId("save"), form = at.closest("#card form");
      if (save && (!form || form.id === "correction")) save.click();
      else if (form) form.requestSubmit();
      event.preventDefault();
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      event.stopPropagation();
      if (at.id === "search") { at.value = ""; byId("found").replaceChildren(); }
      if (document.querySelector("#card.bulk")) acts.back();
      else { close(); toCard(); }
      return;
    }
    if (field && !(at.matches("input[type=checkbox]") && event.key !== " ")) return;
    if ((event.key === "Enter" || event.key === " ") && isSection(at)) { event.preventDefault(); unfold(at); return; }
    if ((event.key === "Enter" || event.key === " ") && at.matches(".canvas .node, .canvas .edge") && at.dataset.shape) { ask("card", { graph: at.dataset.shape }); return; }
    const down = event.key === "ArrowDown", up = event.key === "ArrowUp";
    if ((down || up) && (at.closest(".queue") || at.id === "card-title" || at === document.body)) { event.preventDefault(); go(down ? 1 : -1); return; }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    else if ("arqdec".includes(event.key)) { if (document.querySelector(`#card [data-key="${event.key}"]`)) event.preventDefault(); press(event.key); }
  }, true);

  // What comes back.
  document.addEventListener("htmx:afterSettle", (event) => {
    const target = event.detail.target, elt = event.detail.elt;
    if (byId("card") && (elt.id === "card" || target.id === "card")) settle();
    else if (target.id === "open-correct") {
      if (document.activeElement.id !== "operation") (target.querySelector("#correction .field :is(input, select, textarea)") || byId("field-reason")).focus();
      target.scrollIntoView({ block: "nearest" });
    } else if (target.id === "preview" && byId("save")) {
      byId("save").focus({ preventScroll: true });
      target.scrollIntoView({ block: "nearest" });
    } else if (target.id === "refused") {
      const missing = document.querySelector("#card .entry:not([hidden]) :is(textarea, input:not([type=hidden]))");
      if (missing) missing.focus();
    } else if (target.matches(".canvas")) { emit("drawn"); tellStates(); filter(); drawMap(); }
  });
  document.addEventListener("htmx:afterRequest", (event) => {
    if (event.detail.xhr.status !== 422 || !event.detail.requestConfig.path.match(/[/](preview|correct)$/)) return;
    const fault = document.querySelector("#card .fault:not(:empty)"), field = fault && document.querySelector(`#card [aria-describedby~="${fault.id}"]`);
    if (field) field.focus();
  });
  document.addEventListener("htmx:beforeRequest", () => say(""));
  document.addEventListener("htmx:responseError", (event) => {
    const told = new DOMParser().parseFromString(event.detail.xhr.responseText, "text/html").querySelector("[role=alert]");
    say(told ? told.textContent : `${event.detail.xhr.status}`);
  });
  document.addEventListener("htmx:sendError", () => say(desk.dataset.unreachable));

  // The minimap: every node a box, and what of the drawing is in view.
  const map = document.querySelector(".minimap");
  const NS = "http://www.w3.org/2000/svg";
  let view = null;
  const drawView = () => {
    const svg = canvas.querySelector("svg"), frame = map.querySelector(".frame");
    if (!view || !frame) return;
    const width = canvas.clientWidth / view.scale, height = canvas.clientHeight / view.scale;
    map.toggleAttribute("hidden", width >= svg.viewBox.baseVal.width && height >= svg.viewBox.baseVal.height);
    for (const [name, value] of Object.entries({ x: -view.x / view.scale, y: -view.y / view.scale, width, height })) frame.setAttribute(name, value);
  };
  const drawMap = () => {
    const svg = canvas.querySelector("svg");
    map.setAttribute("viewBox", `0 0 ${svg.viewBox.baseVal.width} ${svg.viewBox.baseVal.height}`);
    map.replaceChildren();
    for (const shape of all(".node .shape", svg)) {
      const box = shape.getBBox(), rect = document.createElementNS(NS, "rect");
      for (const name of ["x", "y", "width", "height"]) rect.setAttribute(name, box[name]);
      rect.setAttribute("fill", shape.getAttribute("stroke"));
      map.append(rect);
    }
    const frame = document.createElementNS(NS, "rect");
    frame.setAttribute("class", "frame");
    map.append(frame);
    drawView();
  };
  canvas.addEventListener("flowc:moved", (event) => { view = event.detail; drawView(); });
  map.addEventListener("click", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(map.getScreenCTM().inverse());
    emit("centre", { x: point.x, y: point.y });
  });

  drawMap();
  if (!location.hash) settle();
  else { tellRow(); tellStates(); }
})();
