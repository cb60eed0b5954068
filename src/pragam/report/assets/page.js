"use strict";
(() => {
  const content = JSON.parse(document.getElementById("content").textContent);
  const root = document.documentElement;
  const reading = document.getElementById("reading");
  const plots = [...document.querySelectorAll(".plot")];
  const hidden = new Set();
  const views = new Map(); // plot -> what Vega made of it
  let axis = "seconds";

  // Toggles: the marks of a solver have classes of their own, so one rule hides them in all charts.
  const rules = document.head.appendChild(document.createElement("style"));
  const marksOf = (k) => [`.s${k}_marks`, `.s${k}m_marks`, `.s${k}b_marks`, `.s${k}i_marks`].join();
  const solverButtons = [...document.querySelectorAll(".solver")];

  function show(solver, on) {
    on ? hidden.delete(solver) : hidden.add(solver);
    solverButtons[solver].setAttribute("aria-pressed", String(on));
  }
  function applyToggles() {
    rules.textContent = [...hidden].map((k) => `${marksOf(k)}{display:none}`).join("");
  }
  solverButtons.forEach((button, k) => button.addEventListener("click", () => {
    show(k, hidden.has(k));
    applyToggles();
  }));
  const showAll = (on) => () => { solverButtons.forEach((_, k) => show(k, on)); applyToggles(); };
  document.getElementById("all").addEventListener("click", showAll(true));
  document.getElementById("none").addEventListener("click", showAll(false));

  // Charts.
  const charts = new Map(); // plot -> its points, parsed when they are first needed
  function chartOf(plot) {
    if (!charts.has(plot)) charts.set(plot, JSON.parse(plot.nextElementSibling.textContent));
    return charts.get(plot);
  }

  function rowsOf(chart) {
    if (chart.family === "tuning") return { rows: chart.rows };
    const sets = {};
    content.solvers.forEach((_, k) => ["", "m", "b", "i"].forEach((part) => { sets[`s${k}${part}`] = []; }));
    const inside = (point) => point.y >= chart.y.ends[0] && point.y <= chart.y.ends[1];
    for (const curve of chart.curves) {
      const x = curve[axis], y = curve.value, name = `s${curve.solver}`;
      const drawn = [...x.keys()].filter((i) => x[i] > 0);
      sets[name] = drawn.map((i) => ({ x: x[i], y: y[i] }));
      sets[name + "m"] = curve.markers[axis].map((i) => ({ x: x[i], y: y[i] })).filter(inside);
      if (axis === "seconds" && curve.fastest)
        sets[name + "b"] = drawn.filter((i) => curve.fastest[i] > 0)
          .map((i) => ({ low: curve.fastest[i], high: curve.slowest[i], y: y[i] }));
      if (curve.lower)
        sets[name + "i"] = drawn.map((i) => ({ x: x[i], low: Math.max(curve.lower[i], chart.y.ends[0]), high: y[i] }));
    }
    return sets;
  }

  function specificationOf(chart) {
    const name = chart.family === "tuning" ? "tuning" : `${chart.family}-${axis}`;
    const specification = structuredClone(content.specifications[name]);
    const sets = rowsOf(chart);
    for (const set of specification.data) if (set.name in sets) set.values = sets[set.name];
    const sides = { x: chart.x[axis], y: chart.y };
    for (const scale of specification.scales) scale.domain = sides[scale.name].ends;
    for (const one of specification.axes.filter((each) => sides[each.scale].ticks.length)) {
      one.values = sides[one.scale].ticks;
      delete one.tickCount; // it would thin them once more
    }
    return specification;
  }

  const options = { mode: "vega", renderer: "svg", actions: false, hover: false, defaultStyle: false, tooltip: false };
  async function render(plot) {
    const wanted = axis;
    if (plot.dataset.axis === wanted) return;
    plot.dataset.axis = wanted;
    const made = await vegaEmbed(plot, specificationOf(chartOf(plot)), options);
    plot.querySelector("svg").setAttribute("aria-hidden", "true"); // the plot itself has the text alternative
    views.get(plot)?.finalize();
    views.set(plot, made);
  }

  // Charts far from the window wait until they come near.
  const near = new Set();
  const watch = new IntersectionObserver((entries) => entries.forEach(({ target, isIntersecting }) => {
    isIntersecting ? near.add(target) : near.delete(target);
    if (isIntersecting) render(target);
  }), { rootMargin: "500px" });
  plots.forEach((plot) => watch.observe(plot));
  addEventListener("beforeprint", () => plots.forEach(render));

  const axisButtons = [...document.querySelectorAll("[data-axis][aria-pressed]")];
  axisButtons.forEach((button) => button.addEventListener("click", () => {
    axis = button.dataset.axis;
    axisButtons.forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
    leave();
    near.forEach(render);
  }));

  // Values at a place: by the pointer, or with the arrow keys.
  const number = (x) => (x !== 0 && (Math.abs(x) < 1e-3 || Math.abs(x) >= 1e6) ? x.toExponential(2) : String(+x.toPrecision(4)));
  const shown = (chart, y) => (chart.family === "accuracy" || chart.family === "tuning" ? `${(100 * y).toFixed(2)} %` : number(y));

  function valuesAt(chart, x) {
    if (chart.family === "tuning") {
      const row = chart.rows.reduce((a, b) => (Math.abs(Math.log(b.x / x)) < Math.abs(Math.log(a.x / x)) ? b : a));
      return [{ name: `λ = 2^${+row.power.toFixed(2)}`, y: row.y }];
    }
    return chart.curves.filter((curve) => !hidden.has(curve.solver)).flatMap((curve) => {
      let last = -1; // the clock of a peer, fitted anew for each point, may go back
      curve[axis].forEach((at, i) => { if (at <= x && (last < 0 || at >= curve[axis][last])) last = i; });
      return last < 0 ? [] : [{ name: content.solvers[curve.solver], solver: curve.solver, y: curve.value[last] }];
    }).sort((a, b) => a.y - b.y);
  }

  const rule = document.createElement("div");
  rule.className = "rule";
  function read(plot, share) {
    const made = views.get(plot), chart = chartOf(plot);
    if (!made || !(chart.rows ?? chart.curves).length) return;
    const [low, high] = chart.x[axis].ends, x = low * (high / low) ** share;
    const [left, top] = made.view.origin(), width = made.view.width(), height = made.view.height();
    const corner = plot.querySelector("svg").getBoundingClientRect(), box = plot.getBoundingClientRect();
    Object.assign(rule.style, { left: `${corner.left - box.left + left + share * width}px`,
      top: `${corner.top - box.top + top}px`, height: `${height}px` });
    plot.append(rule);
    fill(chart, x);
    const at = corner.left + left + share * width, beyond = at + 20 + reading.offsetWidth > innerWidth;
    const place = beyond ? at - 14 - reading.offsetWidth : at + 14;
    reading.style.left = `${Math.max(4, Math.min(place, innerWidth - reading.offsetWidth - 4))}px`;
    reading.style.top = `${Math.max(4, Math.min(corner.top + top, innerHeight - reading.offsetHeight - 4))}px`;
    plot.dataset.share = share;
  }
  function fill(chart, x) {
    const table = document.createElement("table");
    for (const { name, solver, y } of valuesAt(chart, x)) {
      const row = table.insertRow();
      row.insertCell().className = `dot c${solver}`;
      row.insertCell().textContent = name;
      row.insertCell().textContent = shown(chart, y);
    }
    const title = document.createElement("div");
    title.textContent = chart.family === "tuning" ? "" : axis === "seconds" ? `${number(x)} s` : `iteration ${Math.floor(x)}`;
    reading.replaceChildren(title, table);
    reading.hidden = false;
  }
  function leave() {
    reading.hidden = true;
    rule.remove();
  }
  const spoken = document.body.appendChild(document.createElement("div"));
  spoken.className = "hidden";
  spoken.setAttribute("aria-live", "polite");

  plots.forEach((plot) => {
    plot.addEventListener("pointermove", (event) => {
      const made = views.get(plot);
      if (!made) return;
      const left = plot.querySelector("svg").getBoundingClientRect().left + made.view.origin()[0];
      read(plot, Math.min(1, Math.max(0, (event.clientX - left) / made.view.width())));
    });
    plot.addEventListener("pointerleave", leave);
    plot.addEventListener("blur", leave);
    plot.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -0.05, ArrowRight: 0.05, Home: -1, End: 1 }[event.key];
      if (event.key === "Escape") leave();
      if (!step) return;
      event.preventDefault();
      read(plot, Math.min(1, Math.max(0, Number(plot.dataset.share ?? 0.5) + step)));
      spoken.textContent = reading.innerText;
    });
  });

  // Data tables, made when they are opened.
  function tableOf(chart) {
    const table = document.createElement("table");
    const names = chart.family === "tuning" ? ["λ", "accuracy", "standard error"] : ["solver", "iterations", "seconds", "value"];
    const head = table.createTHead().insertRow();
    for (const name of names) {
      const cell = head.appendChild(document.createElement("th"));
      cell.scope = "col";
      cell.textContent = name;
    }
    table.createCaption().textContent = chart.family === "tuning" ? "Validation accuracy" : "Points, thinned for the screen";
    const body = table.createTBody();
    for (const cells of rowsOfTable(chart)) {
      const row = body.insertRow();
      cells.forEach((cell, k) => {
        const made = row.appendChild(document.createElement(k ? "td" : "th"));
        k ? (made.className = "number") : (made.scope = "row");
        made.textContent = cell;
      });
    }
    return table;
  }
  const rowsOfTable = (chart) => chart.family === "tuning"
    ? chart.rows.map((row) => [number(row.x), shown(chart, row.y), shown(chart, row.y - row.low)])
    : chart.curves.flatMap((curve) => curve.value.map((y, i) =>
        [content.solvers[curve.solver], number(curve.iterations[i]), number(curve.seconds[i]), shown(chart, y)]));
  document.querySelectorAll(".points").forEach((details) => details.addEventListener("toggle", () => {
    if (!details.open || details.querySelector("table")) return;
    const scroller = details.appendChild(document.createElement("div"));
    scroller.className = "scroller";
    scroller.tabIndex = 0;
    scroller.setAttribute("role", "region");
    scroller.setAttribute("aria-label", details.querySelector("summary").textContent);
    scroller.append(tableOf(chartOf(details.parentElement.querySelector(".plot"))));
  }));

  // Theme: the system's until the button says otherwise.
  const theme = document.getElementById("theme");
  const system = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ?? (system.matches ? "dark" : "light")) === "dark";
  const say = () => theme.setAttribute("aria-pressed", String(isDark()));
  theme.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; say(); });
  system.addEventListener("change", say);
  say();

  // Room for the bar above a heading that is jumped to; on a small screen the bar begins closed.
  const bar = document.getElementById("controls");
  if (innerWidth < 480) bar.querySelector("details").open = false;
  new ResizeObserver(() => root.style.setProperty("--bar",
    getComputedStyle(bar).position === "sticky" ? `${bar.offsetHeight + 12}px` : "1rem")).observe(bar);
})();
