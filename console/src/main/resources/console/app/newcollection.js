// A name for a new collection, or a new database where all databases are served.
import { html, useState } from "./dom.js";
import { resources, route, toast } from "./state.js";
import { dataPath, request } from "./api.js";
import { reload } from "./resources.js";
import { Button, Dialog, Failure, Field } from "./ui.js";
import { go, href } from "./route.js";

/** @param {any} props base: the path of the database */
export function NewCollection({ onClose, base }) {
  const atRoot = resources.value.root === "root" && !base;
  const within = base || (atRoot && route.value.path[0] ? [route.value.path[0]] : []);
  const database = atRoot && !within.length;
  const [name, setName] = useState("");
  const [error, setError] = useState(/** @type {any} */ (null));
  const submit = async (/** @type {Event} */ e) => {
    e.preventDefault();
    const path = [...within, name];
    try {
      const there = await request("GET", dataPath(path) + "?pagesize=1", { any: true, quiet: true });
      if (there.status === 200) throw new Error(`“${name}” is there already.`);
      await request("PUT", dataPath(path));
      toast(`“${name}” is created`, "good");
      reload();
      go(href(database ? "db" : "c", path));
      onClose();
    } catch (failure) {
      setError(failure);
    }
  };
  return html`
    <${Dialog} title=${database ? "New database" : "New collection"} onClose=${onClose}>
      <form class="stack" onSubmit=${submit}>
        <${Field} label="Name" hint=${within.length ? `In the database ${within[0]}` : ""}><input required autofocus autocomplete="off" spellcheck=${false} value=${name} onInput=${(/** @type {any} */ e) => setName(e.target.value)} /></${Field}>
        ${error && html`<${Failure} error=${error} />`}
        <div class="row end"><${Button} onClick=${onClose}>Cancel</${Button}><button type="submit" class="button primary"><span>Create</span></button></div>
      </form>
    </${Dialog}>`;
}
