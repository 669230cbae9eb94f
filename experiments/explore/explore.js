// The page of `nsa explore`, and its widget for notebooks: sliders, and pictures of what follows from them.
// `mount` builds everything inside an element; `ask` sends a question and returns a promise of the answer.

const WIDTH = 360; // of a chart's own coordinates; it is scaled to its place
const OWN_SCALE = 1000; // positions of a slider
const escaped = (text) => String(text).replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
const short = (x) => (x === 0 ? "0" : Math.abs(x) >= 1e5 || Math.abs(x) < 1e-3 ? x.toExponential(2) : String(+x.toPrecision(4)));
const hue = (k, n) => `hsl(${Math.round(225 - (205 * k) / Math.max(1, n - 1))} 75% var(--light))`;

// Charts ---------------------------------------------------------------------------------------------------------------

function ticks(low, high, count = 4) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.99);
  const found = [];
  for (let t = Math.ceil(low / step - 1e-9) * step; t <= high + step * 1e-6; t += step) found.push(+t.toPrecision(10));
  return found;
}

function extent(values, least = [0, 0]) {
  let [low, high] = least;
  for (const v of values) if (v !== null) [low, high] = [Math.min(low, v), Math.max(high, v)];
  return high > low ? [low, high] : [low, low + 1];
}

// An SVG: axes, and what `draw(X, Y)` returns; `legend` has pairs of class and text.
function chart({ title, x, y, labels, legend = [], height = 190, whole = false, draw, width = WIDTH }) {
  const [left, right, top, bottom] = [46, 10, 24, 36];
  const X = (v) => (left + ((v - x[0]) / (x[1] - x[0])) * (width - left - right)).toFixed(1);
  const Y = (v) => (height - bottom - ((v - y[0]) / (y[1] - y[0])) * (height - top - bottom)).toFixed(1);
  let out = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}" xmlns="http://www.w3.org/2000/svg">`;
  out += draw((v) => X(Math.min(Math.max(v, x[0]), x[1])), Y, { left, right: width - right, top, bottom: height - bottom });
  out += `<path class="axis" d="M${left} ${top}V${height - bottom}H${width - right}"/>`;
  for (const t of ticks(...x)) out += `<path class="axis" d="M${X(t)} ${height - bottom}v4"/><text x="${X(t)}" y="${height - bottom + 15}" text-anchor="middle">${short(t)}</text>`;
  for (const t of ticks(...y)) if (!whole || Number.isInteger(t)) out += `<path class="axis" d="M${left} ${Y(t)}h-4"/><text x="${left - 7}" y="${+Y(t) + 4}" text-anchor="end">${short(t)}</text>`;
  out += `<text x="${(left + width - right) / 2}" y="${height - 5}" text-anchor="middle">${escaped(labels[0])}</text>`;
  out += `<text x="4" y="12">${escaped(labels[1])}</text>`;
  let at = width - right;
  for (const [kind, text] of [...legend].reverse()) {
    out += `<text class="${kind}" x="${at}" y="12" text-anchor="end">${escaped(text)}</text>`;
    at -= 6.4 * text.length + 12;
  }
  return `${out}</svg>`;
}

function line(X, Y, xs, ys, kind, style = "") {
  let d = "";
  let pen = "M";
  for (let i = 0; i < xs.length; i++) {
    if (ys[i] === null) { pen = "M"; continue; }
    d += `${pen}${X(xs[i])} ${Y(ys[i])}`;
    pen = "L";
  }
  return `<path class="line ${kind}" d="${d}"${style}/>`;
}

const upright = (X, box, at, label = "") =>
  `<path class="mark" d="M${X(at)} ${box.top}V${box.bottom}"/>${label ? `<text x="${+X(at) + 3}" y="${box.top + 10}">${label}</text>` : ""}`;
const shade = (X, box, from, to) => `<rect class="shade" x="${X(from)}" y="${box.top}" width="${Math.max(0, X(to) - X(from))}" height="${box.bottom - box.top}"/>`;

function curveCharts(found) {
  const { functions: f, left } = found;
  const star = (X, box) => (found.critical === null ? "" : upright(X, box, found.critical, "w*"));
  const out = [];
  const weight = [f.Phi_v && ["a", "Φ_v value"], f.Phi_eta && ["b", "Φ_η learning rate"]].filter(Boolean);
  const across = [0, found.w.at(-1)];
  if (weight.length) out.push(chart({ title: "Value and learning rate against the weight", x: across, labels: ["weight w", ""], legend: weight,
    y: extent([...(f.Phi_v || []), ...(f.Phi_eta || [])], [0, 1]),
    draw: (X, Y, box) => star(X, box) + (f.Phi_v ? line(X, Y, found.w, f.Phi_v, "a") : "") + (f.Phi_eta ? line(X, Y, found.w, f.Phi_eta, "b") : "") }));
  const unit = found.unit ? " (Hz)" : "";
  out.push(chart({ title: "Activity left at the end of a round against the weight", x: across, y: extent([...left.u, ...left.v], [0, 1]),
    labels: ["weight w", `left at the choice${unit}`], legend: [["a", "u"], ["b", "v"]],
    draw: (X, Y, box) => star(X, box) + line(X, Y, left.w, left.u, "a") + line(X, Y, left.w, left.v, "b") }));
  const responses = [f.phi_u && ["a", "φ_u(u)"], f.phi_v && ["b", "φ_v(v)"]].filter(Boolean);
  if (responses.length) out.push(chart({ title: "Responses of U and V to their activity", x: [found.x[0], found.x.at(-1)], legend: responses,
    y: extent([...(f.phi_u || []), ...(f.phi_v || [])], [0, 1]), labels: ["activity", ""],
    draw: (X, Y) => (f.phi_u ? line(X, Y, found.x, f.phi_u, "a") : "") + (f.phi_v ? line(X, Y, found.x, f.phi_v, "b") : "") }));
  return out;
}

function decisionCharts(found) {
  const n = found.w.length;
  const best = found.w.indexOf(Math.max(...found.w));
  const ways = [["plain", found.perturbed ? ", unperturbed" : ""], ...(found.perturbed ? [["perturbed", ", perturbed"]] : [])];
  const out = [];
  for (const [way, note] of ways) {
    const one = found[way];
    for (const name of ["u", "v"]) {
      const { lines, spikes } = one[name];
      const both = ways.flatMap(([key]) => found[key][name].lines || []).flat();
      const y = spikes ? [0, n * spikes.neurons] : extent(both, [0, 1]);
      out.push(chart({ title: `${name} of all options in one decision${note}`, x: [0, one.borders.at(-1)], y, whole: Boolean(spikes),
        labels: ["time (s)", `${name.toUpperCase()}: ${spikes ? "spikes of neurons" : `activity ${name}`}${note}`],
        draw: (X, Y, box) => {
          let drawn = one.on.map((on, k) => (on ? shade(X, box, one.borders[k], one.borders[k + 1]) : "")).join("");
          drawn += one.borders.slice(1, -1).map((at) => upright(X, box, at)).join("");
          if (spikes) {
            const paths = Array.from({ length: n }, () => "");
            const tall = Math.max(1, (box.bottom - box.top) / y[1]).toFixed(1);
            spikes.t.forEach((t, j) => { paths[Math.floor(spikes.i[j] / spikes.neurons)] += `M${X(t)} ${Y(spikes.i[j] + 1)}v${tall}`; });
            return drawn + paths.map((d, k) => `<path class="thin" d="${d}" style="stroke:${hue(k, n)}"/>`).join("");
          }
          const order = lines.map((_, k) => k).sort((a, b) => (a === best) - (b === best));
          return drawn + order.map((k) => line(X, Y, one.t, lines[k], k === best ? "" : "thin", ` style="stroke:${hue(k, n)}"`)).join("");
        } }));
    }
  }
  const p = ways.map(([key]) => found[key].probabilities);
  out.push(chart({ title: "Probability of choosing each option", x: [-0.5, n - 0.5], y: [0, 1], labels: ["option", "probability of the choice"],
    legend: found.perturbed ? [["b", "unperturbed"], ["a", "perturbed"]] : [],
    draw: (X, Y, box) => p.map((row, j) => row.map((value, k) =>
      `<rect class="${j ? "outline" : "bar"}" x="${X(k - 0.4)}" y="${Y(value)}" width="${X(k + 0.4) - X(k - 0.4)}" height="${box.bottom - Y(value)}"/>`).join("")).join("") }));
  return out;
}

function gameCharts(game, view, critical, wide) {
  const { players, at, length } = game;
  const x = [0, length];
  const shown = (X, box) => {
    let out = view.silence || Object.keys(view.inputs).length ? shade(X, box, view.start, Math.min(view.stop, length)) : "";
    for (let t = view.rounds; t < length; t += view.rounds) out += upright(X, box, t);
    return out;
  };
  const nsa = players.nsa;
  const choices = chart({ title: "Choices of NSA over the best arm", x, y: [-0.5, view.arms - 0.5], whole: true, width: wide ? 2 * WIDTH : WIDTH, height: 200,
    labels: ["round", "arm"], legend: [["a", "● agreed"], ["b", "○ explored"], ["c", "▬ best arm"]],
    draw: (X, Y, box) => {
      let best = "";
      nsa.best.forEach((arm, t) => { best += t && arm === nsa.best[t - 1] ? `H${X(t + 1)}` : `M${X(t)} ${Y(arm)}H${X(t + 1)}`; });
      const dots = nsa.arms.map((arm, t) => `<circle class="${nsa.agreed[t] ? "agreed" : "explored"}" cx="${X(t + 0.5)}" cy="${Y(arm)}" r="${nsa.agreed[t] ? 1.8 : 2.3}"/>`);
      return `${shown(X, box)}<path class="best" d="${best}"/>${dots.join("")}`;
    } });
  const when = Object.keys(nsa.weights).map(Number).sort((a, b) => a - b);
  const rows = when.map((t) => nsa.weights[t]);
  const weights = chart({ title: "Weights of all options", x, y: extent(rows.flat(), [0, critical || 0]), labels: ["round", "weights w"],
    draw: (X, Y, box) => {
      let out = shown(X, box);
      if (critical) out += `<path class="mark" d="M${box.left} ${Y(critical)}H${box.right}"/><text x="${box.left + 3}" y="${Y(critical) - 3}">w*</text>`;
      for (let k = 0; k < view.arms; k++) out += line(X, Y, when, rows.map((row) => row[k]), "thin", ` style="stroke:${hue(k, view.arms)}"`);
      return out;
    } });
  const names = Object.keys(players);
  const kinds = names.includes("nsa, unperturbed") ? ["a", "d", "b", "c"] : ["a", "b", "c"];
  const sums = names.map((name) => { let sum = 0; return [0, ...players[name].regret.map((r) => (sum += r))]; });
  const regret = chart({ title: "Regret, summed over the rounds", x, y: extent(sums.flat(), [0, 1]), labels: ["round", "regret, summed"],
    draw: (X, Y, box) => shown(X, box) + sums.map((sum, j) => line(X, Y, sum.map((_, t) => t), sum, kinds[j])).reverse().join("") +
      names.map((name, j) => `<text class="${kinds[j]}" x="${box.left + 8}" y="${box.top + 12 + 14 * j}">${escaped(name)} ${short(sums[j].at(-1))}</text>`).join("") });
  return { choices, others: [weights, regret] };
}

// Saving ---------------------------------------------------------------------------------------------------------------

function download(name, text, type) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

// All charts of a panel as one SVG file: computed styles become attributes, since a file has no stylesheet.
function savePicture(section, name) {
  const kept = ["fill", "stroke", "stroke-width", "stroke-dasharray", "opacity", "font-size", "font-family", "font-weight"];
  const paper = getComputedStyle(section.closest(".explore")).backgroundColor;
  let [inner, y, wide] = ["", 0, 0];
  for (const svg of section.querySelectorAll("svg")) {
    const copy = svg.cloneNode(true);
    const [from, to] = [svg.querySelectorAll("*"), copy.querySelectorAll("*")];
    from.forEach((element, i) => {
      const style = getComputedStyle(element);
      to[i].removeAttribute("class");
      to[i].setAttribute("style", kept.map((key) => `${key}:${style.getPropertyValue(key).replace(/"/g, "'")}`).join(";"));
    });
    const [, , w, h] = svg.getAttribute("viewBox").split(" ").map(Number);
    inner += `<g transform="translate(0 ${y})">${copy.innerHTML}</g>`;
    [y, wide] = [y + h + 8, Math.max(wide, w)];
  }
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${wide} ${y}" width="${wide}" height="${y}"><rect width="100%" height="100%" fill="${paper}"/>${inner}</svg>`;
  download(`${name}.svg`, text, "image/svg+xml");
}

// The view as text after the # of a link; nsa_brian's side reads the same in experiments/explore/view.py.
function toHash(view, defaults) {
  const pairs = [];
  for (const [key, value] of Object.entries(view)) {
    if (key === "parameters" || key === "inputs") {
      for (const [name, number] of Object.entries(value)) pairs.push([(key === "inputs" ? "in." : "p.") + name, number]);
    } else if (String(value) !== String(defaults[key])) pairs.push([key, value]);
  }
  return pairs.map(([key, value]) => `${key}=${encodeURIComponent(value).replace(/%2C/g, ",")}`).join("&");
}

function fromHash(text, defaults) {
  const view = { ...structuredClone(defaults), parameters: {}, inputs: {} };
  for (const [key, value] of new URLSearchParams(text)) {
    if (key.startsWith("p.")) view.parameters[key.slice(2)] = Number(value);
    else if (key.startsWith("in.")) view.inputs[key.slice(3)] = Number(value);
    else if (key === "policies") view.policies = value.split(",");
    else if (key in defaults) view[key] = typeof defaults[key] === "number" ? Number(value) : value;
  }
  return view;
}

// The page -------------------------------------------------------------------------------------------------------------

export function mount(root, start, ask, { linked = true } = {}) {
  let view = linked && location.hash.length > 1 ? fromHash(location.hash.slice(1), start.defaults) : structuredClone(start.view);
  let critical = null;
  let changedAt = performance.now();
  const $ = (selector) => root.querySelector(selector);
  const model = () => start.models[view.model];
  const parameter = (name) => model().parameters[name];
  const original = (name) => start.sets[view.set].values[name] ?? parameter(name).default;
  const value = (name) => view.parameters[name] ?? original(name);
  const options = (list, chosen, label = (x) => x) =>
    list.map((each) => `<option value="${escaped(each)}"${each === chosen ? " selected" : ""}>${escaped(label(each))}</option>`).join("");
  const id = `x${Math.random().toString(36).slice(2, 8)}`;
  const field = (name, label, control) =>
    `<div class="field" data-field="${name}"><label for="${id}${name}">${label}</label>${control}<p class="problem" role="alert" id="${id}${name}-problem"></p></div>`;
  const select = (name, label, list, chosen, text) =>
    field(name, label, `<select id="${id}${name}" name="${name}" aria-describedby="${id}${name}-problem">${options(list, chosen, text)}</select>`);
  const number = (name, label, now, extra = 'step="1" min="0"') =>
    field(name, label, `<input type="number" id="${id}${name}" name="${name}" value="${now}" ${extra} aria-describedby="${id}${name}-problem">`);

  root.classList.add("explore");
  root.classList.toggle("page", linked);
  root.innerHTML = `
    <div class="head"><h1>Explore NSA</h1><p class="note"><span class="timing">computing …</span> <span id="${id}status" role="status"></span></p>
      <p class="problem general" role="alert"></p></div>
    <form class="controls" aria-label="Model, parameters and perturbation"></form>
    <div class="panels">
      <section class="curves" aria-label="Curves"><div class="head"><h2>Curves</h2><button data-save="curves">Save picture</button></div>
        <div class="charts"></div><p class="note"></p></section>
      <section class="decision" aria-label="One decision"><div class="head"><h2>One decision</h2><button data-save="decision">Save picture</button></div>
        <div class="fields"></div><div class="charts"></div><p class="chips"></p></section>
      <section class="game" aria-label="A game"><div class="head"><h2>A game</h2><button data-save="game">Save picture</button></div>
        <div class="fields settings"></div>
        <div class="fields"><button data-do="run">Run</button><button data-do="step">Step</button><button data-do="back">Back to the start</button>
          <button data-do="end">To the end</button>
          <div class="field"><label for="${id}speed">Speed: <output>50</output> rounds/s</label><input type="range" id="${id}speed" min="0" max="3" step="0.1" value="1.7"></div>
          <span class="note at"></span></div>
        <div class="charts wide first"></div><div class="charts others"></div></section>
      <section class="share" aria-label="Save and share"><div class="head"><h2>Save and share</h2></div>
        <div class="fields">${linked ? '<button data-do="link">Copy link</button>' : ""}<button data-do="python">Copy as Python</button><button data-do="command">Copy as command line</button>
          <button data-do="view">Save view</button><button data-do="set">Save parameters</button>
          <div class="field"><label for="${id}open">Open a saved view</label><input type="file" id="${id}open" accept=".json,application/json"></div></div>
        <label class="note" for="${id}text">Last copied text</label><textarea id="${id}text" readonly rows="6"></textarea></section>
    </div>`;

  // Controls
  function position(name, v) {
    const { low, high, log } = parameter(name);
    const share = log ? Math.log(Math.max(v, low) / low) / Math.log(high / low) : (v - low) / (high - low);
    return Math.round(OWN_SCALE * Math.min(1, Math.max(0, share)));
  }
  function valueAt(name, place) {
    const { low, high, log, whole } = parameter(name);
    const share = place / OWN_SCALE;
    const v = log ? low * (high / low) ** share : low + (high - low) * share;
    return whole ? Math.round(v) : +v.toPrecision(4);
  }
  function row(name) {
    const info = parameter(name);
    const now = value(name);
    const unit = info.unit ? ` (${escaped(info.unit)})` : "";
    return `<div class="row${name in view.parameters ? " changed" : ""}" data-field="${name}">
      <label for="${id}${name}" title="${escaped(info.meaning)}">${escaped(name)}${unit}</label>
      <input type="range" data-slider="${name}" min="0" max="${OWN_SCALE}" step="5" value="${position(name, now)}" aria-label="${escaped(name)}${unit}, slider from ${short(info.low)} to ${short(info.high)}" aria-valuetext="${short(now)} ${escaped(info.unit)}">
      <input type="number" id="${id}${name}" data-number="${name}" step="any" value="${+(+now).toPrecision(6)}" aria-describedby="${id}${name}-meaning ${id}${name}-problem">
      <button type="button" data-reset="${name}" title="Reset ${escaped(name)} to ${short(original(name))}" aria-label="Reset ${escaped(name)} to ${short(original(name))}">↺</button>
      <small id="${id}${name}-meaning">${info.symbol !== name ? `${escaped(info.symbol)}: ` : ""}${escaped(info.meaning)}; ${short(info.low)} to ${short(info.high)}${info.log ? " (log)" : ""}</small>
      <p class="problem" role="alert" id="${id}${name}-problem"></p></div>`;
  }
  function drawControls() {
    const open = new Set([...root.querySelectorAll(".controls details[open]")].map((each) => each.dataset.group));
    const first = open.size === 0 ? [model().groups[0].title] : [...open];
    const sets = Object.keys(start.sets).filter((name) => [null, view.model].includes(start.sets[name].model) || start.sets[name].model in start.models);
    const inputs = model().inputs.map((each) => number(`in.${each.name}`, `${escaped(each.name)}${each.unit ? ` (${escaped(each.unit)})` : ""}, per ${each.per}`,
      view.inputs[each.name] ?? "", `step="any" placeholder="${each.default}" data-input="${escaped(each.name)}"`)).join("");
    $(".controls").innerHTML = `
      <div class="fields">${select("model", "Model", Object.keys(start.models), view.model)}
        ${select("set", "Parameter set", sets, view.set, (name) => start.sets[name].label)}
        <button type="button" data-do="reset">Reset all</button></div>
      ${model().groups.map((group) => `<details data-group="${escaped(group.title)}"${first.includes(group.title) ? " open" : ""}><summary>${escaped(group.title)}</summary>${group.names.map(row).join("")}</details>`).join("")}
      <details data-group="Perturbation"${first.includes("Perturbation") || view.silence || Object.keys(view.inputs).length ? " open" : ""}><summary>Perturbation</summary>
        <div class="fields">${["u", "v"].map((name) => `<div class="check"><input type="checkbox" id="${id}silence_${name}" data-silence="${name}"${view.silence.includes(name) ? " checked" : ""}${model().silence ? "" : " disabled"}><label for="${id}silence_${name}">silence ${name.toUpperCase()}</label></div>`).join("")}</div>
        <div class="fields">${inputs || '<p class="note">The model has no inputs.</p>'}</div>
        <div class="fields">${model().inputs.some((each) => each.per === "option") ? number("option", "Inputs reach option (-1: all)", view.option, 'step="1" min="-1"') : ""}
          ${number("start", "From round", view.start)}${number("stop", "to round", view.stop)}</div>
        <p class="note">The decision shows a round with and without it, the game the rounds from and to.</p></details>`;
  }
  function drawFields() {
    $(".decision .fields").innerHTML = select("weights", "Weights of the options", ["spread", "game"], view.weights,
      (name) => ({ spread: "evenly spaced from 0 to w_max", game: "as learnt in the game" })[name]);
    $(".game .settings").innerHTML = select("env", "Bandit", start.envs, view.env) + number("arms", "Arms", view.arms) + number("trials", "Trials", view.trials) +
      number("rounds", "Rounds per trial", view.rounds) + number("seed", "Seed", view.seed) +
      view.policies.map((name, j) => select(`policy${j}`, `Policy ${j + 1}`, start.policies, name)).join("");
  }

  // Problems are shown beside their field, or at the top.
  function clearProblems() {
    root.querySelectorAll(".problem").forEach((each) => { each.textContent = ""; });
    root.querySelectorAll("[aria-invalid]").forEach((each) => each.removeAttribute("aria-invalid"));
  }
  function problem(name, text) {
    const places = { policies: "policy0" };
    const place = root.querySelector(`[data-field="${CSS.escape(places[name] || name)}"]`) || $(".head").parentElement;
    (place === root ? $(".general") : place.querySelector(".problem")).textContent = text;
    if (place === root) return;
    place.closest("details")?.setAttribute("open", "");
    place.querySelectorAll("input, select").forEach((each) => each.setAttribute("aria-invalid", "true"));
  }

  // Panels: one question of each is under way; the newest state is asked next.
  function panel(name, question, draw) {
    let [busy, again] = [false, false];
    return async function renew() {
      if (busy) { again = true; return; }
      busy = true;
      do {
        again = false;
        const since = changedAt;
        const answer = await ask({ ask: name, view, ...question() }).catch((error) => ({ error: `no answer: ${error.message}`, field: "" }));
        const section = $(`.${name}`);
        section.classList.toggle("stale", Boolean(answer.error));
        if (answer.error) { if (!again) problem(answer.field, answer.error); } else { draw(answer); timed(name, since); }
      } while (again);
      busy = false;
    };
  }
  function timed(name, since) {
    requestAnimationFrame(() => {
      root.dataset[name] = Math.round(performance.now() - since);
      root.dataset[`${name}Count`] = Number(root.dataset[`${name}Count`] || 0) + 1;
      $(".timing").textContent = `${view.model}, ${start.sets[view.set].label}: picture after ${root.dataset.curves ?? "…"} ms`;
    });
  }
  const renewCurves = panel("curves", () => ({}), (found) => {
    critical = found.critical;
    $(".curves .charts").innerHTML = curveCharts(found).map((svg) => `<figure>${svg}</figure>`).join("");
    $(".curves .note").textContent = (critical === null ? "There is no critical weight: activity outlasts the input always or never" :
      `Critical weight w* = ${short(critical)}, ${(critical / found.w.at(-1)).toFixed(2)} of w_max: above it an option's activity outlasts the input`) + `. Holds for ${found.holds_for}.`;
  });
  const renewDecision = panel("decision", () => ({ w: view.weights === "game" ? lastWeights() : undefined }), (found) => {
    $(".decision .charts").classList.toggle("pairs", Boolean(found.perturbed));
    $(".decision .charts").innerHTML = decisionCharts(found).map((svg) => `<figure>${svg}</figure>`).join("");
    $(".chips").innerHTML = found.w.length > 20 ? "" : found.w.map((w, k) => `<span><i style="background:${hue(k, found.w.length)}"></i>option ${k}: w = ${short(w)}</span>`).join("");
  });

  // The game
  let game = { players: {}, at: 0, length: 0, target: Infinity, number: 0 };
  let [running, playing] = [false, false];
  const lastWeights = () => {
    const known = game.players.nsa?.weights;
    return known ? known[Math.max(...Object.keys(known).map(Number))] : undefined;
  };
  function restart(target) {
    game = { players: {}, at: 0, length: view.rounds * view.trials, target, number: game.number + 1 };
    play();
  }
  async function play() {
    if (playing) return;
    playing = true;
    while (game.at < Math.min(game.target, game.length)) {
      const [mine, since] = [game.number, changedAt];
      const stop = Math.min(game.target, game.length);
      const answer = await ask({ ask: "game", view, at: game.at, until: stop }).catch((error) => ({ error: `no answer: ${error.message}`, field: "" }));
      if (mine !== game.number) continue; // the newest settings win
      $(".game").classList.toggle("stale", Boolean(answer.error));
      if (answer.error) { problem(answer.field, answer.error); break; }
      for (const [name, part] of Object.entries(answer.players)) {
        const all = (game.players[name] ??= { arms: [], agreed: [], rewards: [], best: [], regret: [], weights: {} });
        for (const key of ["arms", "agreed", "rewards", "best", "regret"]) all[key].push(...part[key]);
        Object.assign(all.weights, part.weights);
      }
      [game.at, game.length] = [answer.at, answer.length];
      drawGame();
      if (game.at >= stop) { timed("game", since); if (view.weights === "game") renewDecision(); }
    }
    playing = false;
  }
  function drawGame() {
    const { choices, others } = gameCharts(game, view, critical, $(".game").clientWidth > 640);
    $(".game .first").innerHTML = `<figure>${choices}</figure>`;
    $(".game .others").innerHTML = others.map((svg) => `<figure>${svg}</figure>`).join("");
    const share = game.players.nsa.arms.filter((arm, t) => arm === game.players.nsa.best[t]).length / Math.max(1, game.at);
    $(".game .at").textContent = `round ${game.at} of ${game.length}; best arm in ${(100 * share).toFixed(0)} %`;
  }
  const speed = () => Math.round(10 ** Number($(`#${id}speed`).value));
  function tick() {
    if (!running || !root.isConnected) return;
    if (game.at >= game.length) return setRunning(false);
    if (!playing) { game.target = Math.min(game.length, game.at + Math.max(1, Math.round(speed() / 12))); play(); }
    setTimeout(tick, Math.max(80, 1000 / speed()));
  }
  function setRunning(on) {
    running = on;
    const button = $('[data-do="run"]');
    button.textContent = on ? "Pause" : "Run";
    button.setAttribute("aria-pressed", String(on));
    if (on) { if (game.at >= game.length) restart(0); tick(); }
  }

  // What a change renews: the pictures at once, the game when the slider rests for a moment.
  let rest = 0;
  function renew(kinds = ["curves", "decision", "game"]) {
    clearProblems();
    if (linked) { clearTimeout(renew.later); renew.later = setTimeout(() => history.replaceState(null, "", `#${toHash(view, start.defaults)}`), 200); }
    if (kinds.includes("curves")) renewCurves();
    if (kinds.includes("decision")) renewDecision();
    if (kinds.includes("game")) {
      clearTimeout(rest);
      rest = setTimeout(() => { const at = game.at; restart(game.target >= game.length || !at ? Infinity : at); }, 60);
    }
  }
  function change(changes, kinds) {
    changedAt = performance.now();
    view = { ...view, ...changes };
    renew(kinds);
  }
  function setParameter(name, v) {
    const { [name]: _, ...others } = view.parameters;
    change({ parameters: v === original(name) ? others : { ...others, [name]: v } });
    const at = root.querySelector(`.row[data-field="${name}"]`);
    at.classList.toggle("changed", name in view.parameters);
    at.querySelector("[data-slider]").setAttribute("aria-valuetext", `${short(v)} ${parameter(name).unit}`);
  }
  function show(next) {
    const missing = [];
    if (!Object.hasOwn(start.models, next.model)) {
      missing.push(`there is no model ${next.model} here`);
      next = { ...next, model: Object.keys(start.models)[0], parameters: {}, inputs: {} };
    }
    if (!Object.hasOwn(start.sets, next.set)) {
      missing.push(`there is no parameter set ${next.set} here`);
      next = { ...next, set: start.default_set };
    }
    view = next;
    drawControls();
    drawFields();
    changedAt = performance.now();
    game.target = Infinity;
    renew();
    if (missing.length) problem("", missing.join("; "));
  }
  function choose(name, chosen) {
    if (name === "model") {
      const fits = [null, chosen].includes(start.sets[view.set].model);
      show({ ...view, model: chosen, set: fits ? view.set : start.default_set, parameters: {}, inputs: {}, option: -1 });
    } else show({ ...view, set: chosen, model: start.sets[chosen].model ?? view.model, parameters: {} });
    $(`[name="${name}"]`).focus();
  }

  root.addEventListener("input", ({ target }) => {
    const { slider, number: own } = target.dataset;
    if (slider) {
      const v = valueAt(slider, Number(target.value));
      root.querySelector(`[data-number="${slider}"]`).value = v;
      setParameter(slider, v);
    } else if (own) {
      if (!Number.isFinite(target.valueAsNumber)) { problem(own, `${own} must be ${parameter(own).legal}`); return; }
      root.querySelector(`[data-slider="${own}"]`).value = position(own, target.valueAsNumber);
      setParameter(own, target.valueAsNumber);
    } else if (target.id === `${id}speed`) target.previousElementSibling.querySelector("output").textContent = speed();
  });
  root.addEventListener("change", ({ target }) => {
    const { silence, input } = target.dataset;
    const name = target.name;
    if (silence) change({ silence: ["u", "v"].filter((each) => $(`[data-silence="${each}"]`).checked).join("") }, ["decision", "game"]);
    else if (input) {
      const { [input]: _, ...others } = view.inputs;
      change({ inputs: target.value === "" ? others : { ...others, [input]: target.valueAsNumber } }, ["decision", "game"]);
    } else if (name === "model" || name === "set") choose(name, target.value);
    else if (name?.startsWith("policy")) change({ policies: view.policies.map((each, j) => (name === `policy${j}` ? target.value : each)) }, ["game"]);
    else if (name === "weights") change({ weights: target.value }, ["decision"]);
    else if (name === "env") change({ env: target.value }, ["game"]);
    else if (target.type === "file" && target.files.length) open(target);
    else if (target.type === "number" && name) {
      if (!Number.isFinite(target.valueAsNumber)) { problem(name, "a number is needed"); return; }
      change({ [name]: target.valueAsNumber }, ["start", "stop", "rounds", "trials"].includes(name) ? ["game"] : undefined);
    }
  });
  root.addEventListener("submit", (event) => event.preventDefault());
  root.addEventListener("click", async ({ target }) => {
    const { reset, save, do: what } = target.dataset;
    if (reset) {
      root.querySelector(`[data-slider="${reset}"]`).value = position(reset, original(reset));
      root.querySelector(`[data-number="${reset}"]`).value = +(+original(reset)).toPrecision(6);
      setParameter(reset, original(reset));
    }
    if (save) savePicture($(`.${save}`), `nsa-${save}`);
    if (what === "reset") { show({ ...view, parameters: {} }); $('[data-do="reset"]').focus(); }
    if (what === "run") setRunning(!running);
    if (what === "step") { setRunning(false); if (game.at >= game.length) restart(1); else { game.target = game.at + 1; play(); } }
    if (what === "back") { setRunning(false); restart(1); }
    if (what === "end") { setRunning(false); game.target = Infinity; play(); }
    if (what === "link") copy(`${location.origin}${location.pathname}${location.search}#${toHash(view, start.defaults)}`);
    if (what === "view") download("view.json", JSON.stringify(view, null, 1), "application/json");
    if (["python", "command", "set"].includes(what)) {
      const answer = await ask({ ask: "code", view });
      if (answer.error) problem(answer.field, answer.error);
      else if (what === "set") download("explored.json", answer.parameters, "application/json");
      else copy(answer[what]);
    }
  });
  function copy(text) {
    const area = $(`#${id}text`);
    area.value = text;
    const done = (how) => { $(`#${id}status`).textContent = how; };
    const selected = () => { area.select(); done("select the text below to copy it"); };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(() => done("copied"), selected);
    else selected();
  }
  async function open(target) {
    const given = await target.files[0].text().then(JSON.parse).catch(() => null);
    const answer = given === null || typeof given !== "object" ? { error: "this file is not a view", field: "" } : await ask({ ask: "code", view: given });
    clearProblems();
    if (answer.error) problem("", answer.error);
    else show({ ...structuredClone(start.defaults), ...given });
  }
  if (linked) addEventListener("hashchange", () => show(fromHash(location.hash.slice(1), start.defaults)));
  show(view);
}

// A widget of anywidget: questions and answers are messages of its model.
function render({ model, el }) {
  const waiting = new Map();
  let count = 0;
  model.on("msg:custom", ({ number, answer }) => { waiting.get(number)?.(answer); waiting.delete(number); });
  const ask = (question) => new Promise((resolve) => { waiting.set(++count, resolve); model.send({ number: count, question }); });
  const root = document.createElement("div");
  el.append(root);
  mount(root, JSON.parse(model.get("start")), ask, { linked: false });
}
export default { render };

const page = document.getElementById("start");
if (page?.type === "application/json" && document.getElementById("explore")) {
  const token = new URLSearchParams(location.search).get("token") ?? "";
  const ask = async (question) => {
    const answer = await fetch("ask", { method: "POST", headers: { "Content-Type": "application/json", "X-Token": token }, body: JSON.stringify(question) });
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  };
  mount(document.getElementById("explore"), JSON.parse(page.textContent), ask);
}
