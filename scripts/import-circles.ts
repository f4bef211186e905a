import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';

/** The targets of each node, each with an import that leads there. */
type Graph = ReadonlyMap<string, ReadonlyMap<string, string>>;

const folders = ['src', 'rest', 'mcp', 'packages', 'client/src', 'console/src'];
/** Files that Prisma generates import each other. */
const generated = 'src/generated/';
/** The builds and tests of packages. */
const ofPackage = /^packages\/[^/]+\/(?:dist|test)\//;

/** A module is a package, a folder of `src/` with its subfolders, or a file beside these folders. `rest/` and `mcp/` are modules. */
const moduleOf = (file: string) =>
  /^(?:rest|mcp|packages\/[^/]+|(?:(?:client|console)\/)?src\/[^/]+)/.exec(file)?.[0] ?? file;

async function sourceFiles(root: string, folder: string): Promise<string[]> {
  const names = await readdir(path.join(root, folder), { recursive: true });
  return names
    .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
    .filter((file) => /\.tsx?$/.test(file) && !file.startsWith(generated) && !ofPackage.test(file));
}

/** Includes type-only imports, types in expressions, and modules that the file extends. */
async function importsOf(root: string, file: string): Promise<string[]> {
  const { importedFiles } = ts.preProcessFile(await readFile(path.join(root, file), 'utf8'));
  return importedFiles.flatMap(({ fileName }) => {
    if (fileName.startsWith('.')) return [path.posix.join(path.posix.dirname(file), fileName)];
    return fileName.startsWith('@taskgate/') ? [`${fileName.replace('@taskgate', 'packages')}/index.ts`] : [];
  });
}

function graphOf(imports: ReadonlyMap<string, string[]>, nodeOf: (file: string) => string): Graph {
  const graph = new Map<string, Map<string, string>>();
  for (const [file, targets] of imports) {
    const from = nodeOf(file);
    const edges = graph.get(from) ?? new Map<string, string>();
    graph.set(from, edges);
    for (const target of targets) {
      const to = nodeOf(target);
      if (imports.has(target) && to !== from && !edges.has(to)) edges.set(to, `${file} imports ${target}`);
    }
  }
  return graph;
}

/** Returns the imports on a shortest path. */
function shortestPath(graph: Graph, start: string, end: string): string[] | undefined {
  const paths: { node: string; imports: string[] }[] = [{ node: start, imports: [] }];
  const seen = new Set([start]);
  for (const { node, imports } of paths) {
    if (node === end) return imports;
    for (const [next, line] of graph.get(node) ?? []) {
      if (!seen.has(next)) paths.push({ node: next, imports: [...imports, line] });
      seen.add(next);
    }
  }
  return undefined;
}

/** Returns lists of imports, short ones first. No import is in two of them: without it, the second circle may be gone. */
function circlesOf(graph: Graph): string[][] {
  const ways = [...graph].flatMap(([node, edges]) =>
    [...edges].map(([next, line]) => ({ line, back: shortestPath(graph, next, node) })),
  );
  const circles = ways.flatMap(({ line, back }) => (back ? [[line, ...back]] : []));
  const reported = new Set<string>();
  return circles
    .toSorted((a, b) => a.length - b.length)
    .filter((circle) => {
      const isNew = !circle.some((line) => reported.has(line));
      if (isNew) for (const line of circle) reported.add(line);
      return isNew;
    });
}

/** Returns the circles of files and of modules, each as a text for the terminal. */
export async function importCircles(root: string): Promise<string[]> {
  const files = (await Promise.all(folders.map((folder) => sourceFiles(root, folder)))).flat().toSorted();
  const imports = new Map(await Promise.all(files.map(async (file) => [file, await importsOf(root, file)] as const)));
  return [
    ...circlesOf(graphOf(imports, (file) => file)).map((lines) => ['A circle of files:', ...lines].join('\n  ')),
    ...circlesOf(graphOf(imports, moduleOf)).map((lines) => ['A circle of modules:', ...lines].join('\n  ')),
  ];
}
