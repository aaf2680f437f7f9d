/**
 * Prints, as JSON, the lines and files of src, imports against the order inside its rooms, and
 * circles of imports: `node scripts/setup.mjs scripts/structure.ts`, or with the name of a room.
 */
import { posix } from 'node:path'
import { importedPaths } from '../test/support/tidy/imports.ts'
import { filesOf, readText, sourceFile } from '../test/support/tidy/source-file.ts'
import { loadedNames } from '../test/support/tidy/startup.ts'

type Graph = ReadonlyMap<string, ReadonlySet<string>>

const only = process.argv[2]
const paths = filesOf('src/**/*.ts').filter((path) => !only || path.startsWith(`src/${only}/`))
const files = paths.map((path) => sourceFile(path))
const known = new Set(paths)
const imports: Graph = new Map(
  files.map((file) => [file.path, new Set(importedPaths(file).filter((it) => known.has(it)))]),
)
const loads: Graph = new Map(
  files.map((file) => [
    file.path,
    new Set(
      loadedNames(file)
        .map((name) => posix.join(posix.dirname(file.path), name))
        .filter((it) => known.has(it)),
    ),
  ]),
)
const rooms = [...new Set(paths.map(roomOf))]
const up = rooms.map((room): [string, number] => [room, importsUp(room)])

console.log(
  JSON.stringify(
    {
      files: paths.length,
      lines: paths.reduce((sum, path) => sum + readText(path).split('\n').length - 1, 0),
      importsUp: up.reduce((sum, [, count]) => sum + count, 0),
      byRoom: Object.fromEntries(up.filter(([, count]) => count > 0)),
      largestCircleOfTypes: circlesOf(imports)[0]?.length ?? 0,
      folderCirclesOfValues: rooms.flatMap((room) => circlesOf(partsOf(room, loads))).length,
    },
    null,
    2,
  ),
)

function roomOf(path: string): string {
  return path.split('/')[1]!
}

/** The part of a room that a file belongs to: its folder in the room, or the file itself. */
function partOf(path: string): string {
  return path.split('/').slice(0, 3).join('/')
}

/** The imports between the parts of a room. */
function partsOf(room: string, graph: Graph): Graph {
  const parts = new Map<string, Set<string>>()
  for (const [path, targets] of graph) {
    if (roomOf(path) !== room) continue
    const own = parts.get(partOf(path)) ?? new Set()
    parts.set(partOf(path), own)
    for (const target of targets) {
      if (roomOf(target) === room && partOf(target) !== partOf(path)) own.add(partOf(target))
    }
  }
  return parts
}

/** The arrows between parts of a room that point up in an order with few such arrows. */
function importsUp(room: string): number {
  const parts = partsOf(room, imports)
  return circlesOf(parts).reduce((sum, circle) => sum + arrowsUp(circle, parts), 0)
}

/** Places the part with the most outgoing and fewest incoming arrows first, again and again. */
function arrowsUp(circle: readonly string[], graph: Graph): number {
  const rest = new Set(circle)
  let count = 0
  while (rest.size > 0) {
    const inside = [...rest]
    const incoming = (part: string) => inside.filter((it) => graph.get(it)?.has(part)).length
    const outgoing = (part: string) => inside.filter((it) => graph.get(part)?.has(it)).length
    const rank = (part: string) => outgoing(part) - incoming(part)
    const first = inside.reduce((best, part) => (rank(part) > rank(best) ? part : best))
    count += incoming(first)
    rest.delete(first)
  }
  return count
}

/** The circles of a graph, largest first: sets of nodes that reach each other. */
function circlesOf(graph: Graph): string[][] {
  const index = new Map<string, number>()
  const low = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (node: string): number => {
    const own = index.size
    index.set(node, own)
    low.set(node, own)
    open.push(node)
    for (const target of graph.get(node) ?? []) {
      const reached = index.has(target)
        ? open.includes(target)
          ? index.get(target)!
          : Infinity
        : visit(target)
      low.set(node, Math.min(low.get(node)!, reached))
    }
    if (low.get(node) === own) {
      const circle = open.splice(open.indexOf(node))
      if (circle.length > 1) circles.push(circle)
    }
    return low.get(node)!
  }
  for (const node of graph.keys()) if (!index.has(node)) visit(node)
  return circles.toSorted((a, b) => b.length - a.length)
}
