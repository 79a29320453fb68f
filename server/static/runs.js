"use strict";
(() => {
  // A form is sent once: a second press while the page is coming does nothing.
  for (const form of document.querySelectorAll("form.controls")) {
    let sent = false;
    form.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
    addEventListener("pageshow", () => { sent = false; });
  }
  // Whoever lets a person be asked for what is missing may leave fields empty.
  document.querySelector("[data-act='not-all']")?.addEventListener("change", (event) => { event.target.form.noValidate = event.target.checked; });
  document.querySelectorAll("[data-act='not-all']:checked").forEach((box) => { box.form.noValidate = true; });

  const run = document.getElementById("run");
  if (!run || run.dataset.ended === "true" || !window.EventSource) return;
  let source = null, ended = false, told = run.dataset.revision;

  const draw = (change) => {
    for (const node of run.querySelectorAll("svg [data-node]")) {
      const [state, mark] = change.nodes[node.dataset.node] ?? ["pending", ""];
      for (const name of [...node.classList]) if (name.startsWith("is-")) node.classList.remove(name);
      node.classList.add(`is-${state}`);
      const sign = node.querySelector(".state text");
      if (sign) sign.textContent = mark;
    }
    for (const edge of run.querySelectorAll("svg [data-edge]")) edge.classList.toggle("is-taken", change.taken.includes(Number(edge.dataset.edge)));
  };

  const tell = async (revision) => {
    const answer = await fetch(`${run.dataset.place}/told`, { headers: { Accept: "text/html" } });
    if (answer.redirected || !answer.ok) { stop(); location.reload(); return; }
    const came = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of run.querySelectorAll("[data-part]")) {
      const fresh = came.querySelector(`[data-part="${part.dataset.part}"]`);
      const same = part.dataset.state !== undefined && part.dataset.state === fresh?.dataset.state;
      if (fresh && !same) part.replaceWith(fresh);
    }
    told = revision;
  };

  const stop = () => { source?.close(); source = null; };
  const follow = () => {
    if (source || ended || document.hidden) return;
    source = new EventSource(`${run.dataset.place}/events`);
    source.addEventListener("run", (event) => {
      const change = JSON.parse(event.data);
      draw(change);
      ended = change.ended;
      run.dataset.ended = String(ended);
      if (ended) stop();
      if (String(change.revision) !== told) tell(String(change.revision)).catch(() => {});
    });
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : follow()));
  addEventListener("pagehide", stop);
  addEventListener("pageshow", follow);
  follow();
})();
