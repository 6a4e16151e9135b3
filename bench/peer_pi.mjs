// Runs pi's edit tool, from the package that the command line names: a JSON line in, a JSON line out.
import { createInterface } from "node:readline";
import { join } from "node:path";

const tools = join(process.argv[2], "dist", "core", "tools");
const text = await import(join(tools, "edit-diff.js"));
const { createEditTool } = await import(join(tools, "edit.js"));

// What edit.js does between reading the file and writing it; the diff that it makes for people is left out.
function edited(source, edits) {
  const normal = text.normalizeToLF(source);
  const done = text.applyEditsToNormalizedContent(normal, edits, "file");
  if (text.applyReplacementsToOriginal) {
    return source === normal ? done.newContent : text.applyReplacementsToOriginal(source, done.replacements);
  }
  return text.restoreLineEndings(done.newContent, text.detectLineEnding(source));
}

async function whole(source, edits) {
  let content = source;
  const operations = {
    access: async () => {},
    readFile: async () => content,
    writeFile: async (_path, written) => { content = Buffer.from(written, "utf-8"); },
  };
  await createEditTool("/", { operations }).execute("1", { path: "/file", edits });
  return content;
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  const source = Buffer.from(asked.source, "latin1");
  let content = null;
  let said = "";
  const started = performance.now();
  try {
    if (asked.timed) edited(source.toString("utf-8"), asked.edits);
    else content = await whole(source, asked.edits);
  } catch (error) {
    said = String(error.message).slice(0, 200);
  }
  const seconds = (performance.now() - started) / 1000;
  process.stdout.write(JSON.stringify({ seconds, content: content && content.toString("latin1"), said }) + "\n");
}
