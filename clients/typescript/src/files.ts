import { checked, last, type RestHeart } from "./client.js";

export interface Upload {
  /** The file's id; without, the gateway makes one. */
  id?: string;
  filename?: string;
  metadata?: Record<string, unknown>;
}

/** The files of one bucket. */
export class Files {
  constructor(private readonly client: RestHeart, private readonly path: string) {}

  /** Stores a file, and returns its id. */
  async upload(content: Blob, upload: Upload = {}): Promise<string> {
    const form = new FormData();
    const filename = upload.filename ?? (content instanceof File ? content.name : "file");
    form.set("metadata", JSON.stringify({ ...upload.metadata, filename, ...(upload.id ? { _id: upload.id } : {}) }));
    form.set("file", content, filename);
    return last(await this.client.send("POST", this.path, { body: form }));
  }

  async download(id: string): Promise<Blob> {
    return (await this.client.send("GET", this.path + "/" + encodeURIComponent(id) + "/binary")).blob();
  }

  /** Where an `<img>` finds the file, if callers without an account may read it. */
  address(id: string): string {
    return this.client.url + checked(this.path + "/" + encodeURIComponent(id) + "/binary");
  }

  async remove(id: string): Promise<void> {
    await this.client.send("DELETE", this.path + "/" + encodeURIComponent(id));
  }
}
