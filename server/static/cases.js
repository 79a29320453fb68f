"use strict";
(() => {
  const form = document.getElementById("judge"), wrong = document.getElementById("wrong"), help = document.getElementById("help");
  const say = (verdict) => form && form.requestSubmit(form.querySelector(`button[name=verdict][value=${verdict}]`));
  const follow = (rel) => document.querySelector(`a[rel=${rel}]`)?.click();
  const acts = {
    r: () => say("right"), u: () => say("unsure"), j: () => follow("next"), k: () => follow("prev"),
    w: () => { if (wrong) { wrong.open = true; document.getElementById("should").focus(); } },
    "?": () => help && !help.open && help.showModal(),
  };
  const keys = document.getElementById("keys");
  if (keys) { keys.hidden = false; keys.addEventListener("click", acts["?"]); }
  document.querySelector(".rows [aria-current]")?.scrollIntoView({ block: "nearest" });
  let sent = false;
  form?.addEventListener("submit", (event) => { if (sent) event.preventDefault(); sent = true; });
  addEventListener("pageshow", () => { sent = false; });
  addEventListener("keydown", (event) => {
    const field = event.target.closest?.("input, textarea, select");
    if (field && event.key === "Escape") field.blur();
    if (field && wrong?.contains(field) && event.key === "Enter" && event.ctrlKey) { event.preventDefault(); say("wrong"); }
    if (field || help?.open || event.ctrlKey || event.metaKey || event.altKey || event.repeat || !Object.hasOwn(acts, event.key)) return;
    event.preventDefault();
    acts[event.key]();
  });
})();
