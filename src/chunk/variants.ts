import type { Range } from './range.ts'
import type { BlockKind } from './scan.ts'

/** One of several samples that say the same for other versions, tools or languages: a tab. */
export type Variant = Range & { label: string; code: string }

/** A block of a page by its offsets. */
export type BlockRange = Range & { kind: BlockKind }

const label = /^\**([^\n*]{1,60}):\**\s*$/

/** Runs of "Label:" and code whose labels or codes are alike. */
export function variantGroups(text: string, blocks: readonly BlockRange[]): Variant[][] {
  const groups: Variant[][] = []
  let group: Variant[] = []
  for (let at = 0; at < blocks.length; at++) {
    const [block, next] = [blocks[at]!, blocks[at + 1]]
    const title = block.kind === 'paragraph'
      ? label.exec(text.slice(block.start, block.end))?.[1]
      : undefined
    if (title === undefined || next?.kind !== 'fence') {
      groups.push(group)
      group = []
      continue
    }
    const code = text.slice(next.start, next.end)
    const variant = { start: block.start, end: next.end, label: title.trim(), code }
    const last = group.at(-1)
    if (last !== undefined && !isVariant(last, variant)) {
      groups.push(group)
      group = []
    }
    group.push(variant)
    at++
  }
  return [...groups, group].filter(({ length }) => length > 1)
}

/** Names of tools and languages that do the same, each family apart. */
const families = [
  'npm yarn pnpm bun npx deno bunx',
  'pip uv poetry pipenv conda pdm',
  'bash zsh fish powershell cmd sh shell windows linux macos unix',
  'javascript typescript js ts jsx tsx python java go golang rust ruby php c c++ c# csharp kotlin '
    + 'swift scala node node.js nodejs curl http perl r julia dart elixir mongosh',
  'maven gradle sbt',
  'yaml json toml xml ini',
].map((names) => new Set(names.split(' ')))

function isVariant(a: Variant, b: Variant): boolean {
  const plain = (text: string) => text.toLowerCase().replace(/[\d.+<>=-]+/g, '').trim()
  if (plain(a.label) === plain(b.label) && a.label !== b.label) return true
  const first = (text: string) => text.toLowerCase().split(/[\s(]/)[0]!
  if (families.some((names) => names.has(first(a.label)) && names.has(first(b.label)))) return true
  return isAlike(a.code, b.code)
}

/** Half of the lines of the shorter one, which has three or more, stand in the longer one. */
function isAlike(a: string, b: string): boolean {
  const linesOf = (code: string) =>
    code.split('\n').slice(1, -1).map((line) => line.trim()).filter((line) => line.length > 3)
  const [shorter, longer] = [linesOf(a), linesOf(b)].sort((x, y) => x.length - y.length)
  const held = new Set(longer)
  const alike = shorter!.filter((line) => held.has(line)).length
  return shorter!.length >= 3 && alike * 2 >= shorter!.length
}
