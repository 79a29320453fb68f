(function () {
  "use strict";
  var boxes = Array.prototype.slice.call(document.querySelectorAll(".box"));
  function choose(address, scrollTo) {
    document.querySelectorAll(".on").forEach(function (one) { one.classList.remove("on"); });
    var row = document.getElementById("b-" + address);
    if (row) { row.classList.add("on"); if (scrollTo === "row") { row.scrollIntoView({ block: "center" }); } }
    var mine = boxes.filter(function (box) { return box.getAttribute("data-for") === address; });
    mine.forEach(function (box) { box.classList.add("on"); });
    if (scrollTo === "box" && mine[0]) { mine[0].scrollIntoView({ block: "center" }); }
  }
  boxes.forEach(function (box) {
    box.addEventListener("click", function () { choose(box.getAttribute("data-for"), "row"); });
  });
  document.querySelectorAll("a.ref[href]").forEach(function (link) {
    link.addEventListener("click", function (event) {
      event.stopPropagation();
      choose(link.getAttribute("href").slice(3), "box");
    });
  });
  document.querySelectorAll(".block").forEach(function (row) {
    row.addEventListener("click", function () { choose(row.id.slice(2), "box"); });
  });
})();
