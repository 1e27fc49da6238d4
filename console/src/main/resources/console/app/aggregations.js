// Pipelines: those that are stored, and one that is built stage by stage.
import { cls, html, useEffect, useMemo, useRef, useState } from "./dom.js";
import { toast } from "./state.js";
import { address, dataPath, request, target } from "./api.js";
import { parse } from "./shell.js";
import { at, inline, keyText, print } from "./shellprint.js";
import { infer } from "./fields.js";
import { completer, STAGES } from "./complete.js";
import { useLoad } from "./load.js";
import { Button, Confirm, CopyButton, Dialog, Empty, Failure, Field, Loading } from "./ui.js";
import { Editor, problem } from "./editor.js";
import { Table } from "./table.js";
import { curl } from "./curl.js";
import { count, duration, plural, size, visible } from "./format.js";
import { pageKeys } from "./keys.js";
import { avarsOf, described, everyVariable, Variables } from "./variables.js";
import { change, mayWrite, properties } from "./resources.js";

const draftKey = (/** @type {string[]} */ path) => "pipeline:" + path.join("/");
/** Documents of a result that are shown. */
const SHOWN = 500;
let lastStage = 0;
const stageOf = (/** @type {string} */ operator, /** @type {string} */ text) => ({ id: ++lastStage, operator, text, on: true });

/** The boxes of a stored pipeline. @param {any} stages */
const boxes = stages => (stages?.a || []).filter((/** @type {any} */ one) => one.e?.length).map((/** @type {any} */ one) => stageOf(one.e[0][0], print(one.e[0][1])));

function draft(/** @type {string[]} */ path) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(draftKey(path)) || "null");
    if (kept) return { ...kept, given: kept.given || {}, stages: kept.stages.map((/** @type {any} */ one) => ({ ...one, id: ++lastStage })) };
  } catch {
    // an older draft: begin anew
  }
  return { name: "", given: {}, stages: [stageOf("$match", "{}")] };
}

/** Names of the variables in stages. @param {any[]} stages */
function namesIn(stages) {
  try {
    return [...new Set(everyVariable(parse(textOf(stages))))];
  } catch {
    return [];
  }
}

const textOf = (/** @type {any} */ stages) => `[${stages.filter((/** @type {any} */ one) => one.on).map((/** @type {any} */ one) => `{${one.operator}: ${one.text}}`).join(", ")}]`;

export function Aggregations({ path }) {
  const [pipeline, setPipeline] = useState(() => draft(path));
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [saving, setSaving] = useState(false);
  const [dropping, setDropping] = useState(/** @type {string|null} */ (null));
  const meta = useLoad(signal => properties(path, signal), [path.join("/")]);
  const sample = useLoad(async signal => infer(/** @type {any} */ (parse((await request("GET", target(dataPath(path), { pagesize: 50, jsonMode: "shell" }), { signal, quiet: true })).text).a)), [path.join("/")]);
  const stored = at(meta.data?.document || { t: "null" }, "aggrs")?.a || [];
  const { stages } = pipeline;
  const named = useMemo(() => namesIn(stages), [stages]);
  const asked = named.filter(name => name[0] !== "@");
  const source = stored.find((/** @type {any} */ one) => at(one, "uri")?.v === pipeline.name);
  const unchanged = source && textOf(boxes(at(source, "stages"))) === textOf(stages);
  const avars = avarsOf(pipeline.given, asked);
  const schemas = useLoad(async signal => (pipeline.name && asked.length ? described(`${dataPath(path)}/_aggrs/${pipeline.name}`, dataPath(path), signal) : {}), [pipeline.name, asked.length > 0, meta.data], [pipeline.name]);
  const wrong = stages.some((/** @type {any} */ one) => one.on && (problem(one.text) || !one.text.trim())) || problem(avars || "");

  useEffect(() => sessionStorage.setItem(draftKey(path), JSON.stringify(pipeline)), [pipeline]);
  const runs = useRef(0);
  const begin = (/** @type {any} */ next) => (runs.current++, setPipeline(next), setResult(null));
  const set = (/** @type {any} */ next) => setPipeline({ ...pipeline, stages: next });
  const edit = (/** @type {number} */ id, /** @type {any} */ part) => set(stages.map((/** @type {any} */ one) => (one.id === id ? { ...one, ...part } : one)));
  const move = (/** @type {number} */ from, /** @type {number} */ to) => {
    if (to < 0 || to >= stages.length) return;
    const next = [...stages];
    next.splice(to, 0, ...next.splice(from, 1));
    set(next);
  };

  const run = async (/** @type {number} */ upTo = stages.length) => {
    if (wrong) return;
    const part = stages.slice(0, upTo);
    const limit = upTo < stages.length ? 20 : 100;
    const body = `{stages: ${textOf(part)}${avars ? `, avars: ${avars}` : ""}, limit: ${limit}}`;
    const mine = ++runs.current;
    const show = (/** @type {any} */ next) => mine === runs.current && setResult(next); // not of a run before this one
    const byName = unchanged && upTo === stages.length;
    const given = byName ? [] : namesIn(part).filter(name => name[0] === "@");
    if (given.length) return show({ error: { status: 0, message: `${given.join(", ")} ${given.length > 1 ? "have values" : "has a value"} in stored pipelines only.`, detail: upTo < stages.length ? "Run the whole pipeline by its name instead." : "Save the pipeline, then run it." }, upTo });
    setResult({ busy: true, upTo });
    try {
      const answer = byName
        ? await request("GET", target(dataPath([...path, "_aggrs", pipeline.name]), { avars, jsonMode: "shell" }))
        : await request("POST", target(dataPath(path) + "/_aggrs", { jsonMode: "shell" }), { headers: { "Content-Type": "application/json" }, body });
      const documents = /** @type {any[]} */ (parse(answer.text).a);
      show({ documents: documents.slice(0, SHOWN), total: documents.length, ms: answer.ms, size: answer.text.length, upTo, limit: byName ? SHOWN : limit });
    } catch (error) {
      show({ error, upTo });
    }
  };
  useEffect(() => {
    pageKeys.save = () => mayWrite(path, "manage") && setSaving(true);
    return () => delete pageKeys.save;
  });

  const open = (/** @type {any} */ one) => begin({ name: at(one, "uri").v, given: pipeline.given, stages: boxes(at(one, "stages")) });
  const refused = result?.error ? stages.findIndex((/** @type {any} */ one) => one.on && `${result.error.message} ${result.error.detail}`.includes(one.operator)) : -1;

  return html`
    <div class="columns-2">
      <div class="stack tight-stack">
        <section class="panel slim" aria-label="Stored pipelines">
          <div class="toolbar"><h2>Stored</h2><span class="spring"></span><${Button} small icon="plus" onClick=${() => begin({ name: "", given: {}, stages: [stageOf("$match", "{}")] })}>New</${Button}></div>
          ${meta.error && html`<${Failure} error=${meta.error} />`}
          ${stored.length === 0 && !meta.error && html`<p class="quiet small">None yet. Build one below and save it: it gets its own URL.</p>`}
          <ul class="names">${stored.map((/** @type {any} */ one) => html`<li class=${cls(at(one, "uri")?.v === pipeline.name && "here")}><button type="button" class="link" onClick=${() => open(one)}>${visible(at(one, "uri")?.v || "?")}</button><span class="quiet small">${plural(at(one, "stages")?.a?.length || 0, "stage")}</span>
            <${CopyButton} text=${() => curl({ method: "GET", url: address(target(dataPath([...path, "_aggrs", at(one, "uri").v]), { avars: at(one, "uri").v === pipeline.name ? avars : undefined })) })} label=${`Copy ${at(one, "uri")?.v} as a curl line`}>curl</${CopyButton}>
            ${mayWrite(path, "manage") && html`<${Button} small kind="plain" icon="trash" label=${`Remove ${at(one, "uri")?.v}`} onClick=${() => setDropping(at(one, "uri").v)} />`}</li>`)}</ul>
        </section>
        <div class="toolbar"><h2>${pipeline.name ? visible(pipeline.name) : "New pipeline"}</h2><span class="spring"></span>
          ${mayWrite(path, "manage") && html`<${Button} disabled=${Boolean(wrong)} onClick=${() => setSaving(true)}>Save…</${Button}>`}
          <${Button} kind="primary" icon="play" busy=${result?.busy} disabled=${Boolean(wrong)} onClick=${() => run()}>Run</${Button}></div>
        ${asked.length > 0 && html`<section class="panel slim" aria-label="Variables"><h3>Variables</h3>
          <${Variables} names=${asked} schemas=${schemas.data || {}} given=${pipeline.given} onChange=${(/** @type {any} */ given) => setPipeline({ ...pipeline, given })} onRun=${() => run()} /></section>`}
        <ol class="stages" aria-label="Stages">${stages.map((/** @type {any} */ one, /** @type {number} */ i) => html`<${Stage} key=${one.id} stage=${one} index=${i} last=${stages.length - 1} shown=${result?.upTo === i + 1} refused=${refused === i ? result.error.message : null} fields=${() => sample.data || []}
          onEdit=${(/** @type {any} */ part) => edit(one.id, part)} onMove=${move} onRun=${() => run(i + 1)} onRunAll=${() => run()} onCopy=${() => set([...stages.slice(0, i + 1), { ...one, id: ++lastStage }, ...stages.slice(i + 1)])} onRemove=${() => set(stages.filter((/** @type {any} */ other) => other.id !== one.id))} />`)}</ol>
        <div class="row"><${Button} icon="plus" onClick=${() => set([...stages, stageOf("$match", "{}")])}>Add stage</${Button}></div>
      </div>
      <section class="stack tight-stack" aria-label="Result"><${Result} result=${result} total=${stages.length} /></section>
    </div>
    ${saving && html`<${Save} path=${path} pipeline=${pipeline} meta=${meta} onClose=${() => setSaving(false)} onSaved=${(/** @type {string} */ name) => (setPipeline({ ...pipeline, name }), setSaving(false), meta.again())} />`}
    ${dropping && html`<${Confirm} title=${`Remove the pipeline ${visible(dropping)} of ${visible(path.join("/") || "/")}?`} text=${html`Requests to <code>_aggrs/${dropping}</code> will be answered 404.`} action="Remove" onClose=${() => setDropping(null)} onYes=${async () => (await store(path, dropping, null), meta.again())} />`}`;
}

function Stage({ stage, index, last, shown, refused, fields, onEdit, onMove, onRun, onRunAll, onCopy, onRemove }) {
  const key = (/** @type {KeyboardEvent} */ e) => {
    const step = e.altKey && { ArrowUp: -1, ArrowDown: 1 }[e.key];
    if (!step) return;
    e.preventDefault();
    onMove(index, index + step);
  };
  return html`
    <li class=${cls("stage", !stage.on && "off", shown && "shown", refused && "refused")} onKeyDown=${key}
      onDragOver=${(/** @type {any} */ e) => e.preventDefault()} onDrop=${(/** @type {any} */ e) => (e.preventDefault(), onMove(Number(e.dataTransfer.getData("text/stage")), index))}>
      <div class="stage-head">
        <span class="grab" draggable="true" aria-hidden="true" title="Drag, or Alt and an arrow" onDragStart=${(/** @type {any} */ e) => e.dataTransfer.setData("text/stage", String(index))}>${index + 1}</span>
        <select aria-label=${`Operator of stage ${index + 1}`} value=${stage.operator} onChange=${(/** @type {any} */ e) => onEdit({ operator: e.target.value })}>${[...new Set([...STAGES, stage.operator, "$out", "$merge"])].map(name => html`<option selected=${name === stage.operator}>${name}</option>`)}</select>
        <span class="spring"></span>
        <${Button} small kind="plain" icon="eye" label=${`Result after stage ${index + 1}`} onClick=${onRun} />
        <${Button} small kind="plain" icon="up" label="Up" disabled=${index === 0} onClick=${() => onMove(index, index - 1)} />
        <${Button} small kind="plain" icon="down" label="Down" disabled=${index === last} onClick=${() => onMove(index, index + 1)} />
        <${Button} small kind="plain" icon="copy" label="Duplicate" onClick=${onCopy} />
        <${Button} small kind="plain" icon=${stage.on ? "pause" : "play"} label=${stage.on ? "Switch off" : "Switch on"} onClick=${() => onEdit({ on: !stage.on })} />
        <${Button} small kind="plain" icon="trash" label="Remove" onClick=${onRemove} />
      </div>
      <${Editor} value=${stage.text} onChange=${(/** @type {string} */ text) => onEdit({ text })} onRun=${onRunAll} label=${`Stage ${index + 1}, ${stage.operator}`} complete=${completer(fields, stage.operator === "$match" ? "filter" : stage.operator === "$sort" ? "sort" : "stage")} />
      ${refused && html`<p class="error" role="alert">${refused}</p>`}
      ${/^\$(out|merge)$/.test(stage.operator) && !refused && html`<p class="error">The gateway does not run pipelines that write: <code>${stage.operator}</code> is refused.</p>`}
    </li>`;
}

function Result({ result, total }) {
  if (!result) return html`<${Empty} icon="play" title="No result yet" text="Run the pipeline, or look at the result of one stage." />`;
  if (result.error) return html`<${Failure} error=${result.error}>${result.error.status === 403 && html`<span>Pipelines that are not stored need the permission <code>allowAdHocAggregations</code>, and some stages are refused to everybody.</span>`}</${Failure}>`;
  const documents = result.documents || [];
  const columns = infer(documents).filter(field => !field.path.includes(".")).map(field => field.path);
  return html`<${Loading} busy=${result.busy} onCancel=${() => {}}>
    ${result.documents && html`<div class="toolbar"><h2>${result.upTo < total ? `After stage ${result.upTo}` : "Result"}</h2><span class="spring"></span><span class="quiet">${documents.length === result.limit ? `the first ${result.limit}${result.total > result.limit ? ` of ${count(result.total)}` : ""}` : plural(documents.length, "document")}, ${size(result.size)}, ${duration(result.ms)}</span></div>
    ${documents.length ? html`<${Table} documents=${documents.map(keyed)} columns=${columns} selected=${new Set()} onSelect=${() => {}} onOpen=${() => {}} onSort=${() => {}} plain />` : html`<${Empty} icon="search" title="No documents" />`}`}
  </${Loading}>`;
}

/** Rows of results need not have ids. */
const keyed = (/** @type {any} */ document, /** @type {number} */ i) => ({ ...document, row: i });

/** Stores, replaces or removes a pipeline, with the tag of what was read. */
async function store(/** @type {string[]} */ path, /** @type {string} */ name, /** @type {string|null} */ stages) {
  const now = await properties(path, undefined);
  if (now.hidden) throw new Error("Pipelines are stored in the properties of the collection, which this account may not read.");
  const before = at(now.document, "aggrs")?.a || [];
  const named = (/** @type {any} */ one) => at(one, "uri")?.v === name;
  const anew = (/** @type {any} */ one) => `{${one.e.map((/** @type {[string, any]} */ [key, value]) => `${keyText(key)}: ${key === "stages" ? stages : inline(value)}`).join(", ")}}`;
  const all = before.filter((/** @type {any} */ one) => stages || !named(one)).map((/** @type {any} */ one) => (named(one) ? anew(one) : inline(one)));
  if (stages && !before.some(named)) all.push(`{uri: ${JSON.stringify(name)}, stages: ${stages}}`);
  await change(path, `{aggrs: [${all.join(", ")}]}`, now.tag);
}

function Save({ path, pipeline, onClose, onSaved }) {
  const [name, setName] = useState(pipeline.name);
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    try {
      await store(path, name, textOf(pipeline.stages));
      toast(`“${name}” is stored`, "good");
      onSaved(name);
    } catch (failure) {
      setError(failure);
    }
  };
  return html`<${Dialog} title="Save the pipeline" onClose=${onClose}><form class="stack" onSubmit=${submit}>
    <${Field} label="Name" hint=${`GET ${dataPath(path)}/_aggrs/${name || "…"} runs it. A pipeline of this name is replaced.`}><input required autofocus pattern="[^\\/]+" spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>
    ${error && html`<${Failure} error=${error} />`}
    <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary"><span>Save</span></button></div></form></${Dialog}>`;
}
