import type { Range } from './range.ts'
import type { BlockKind } from './scan.ts'

/** One of several equivalent samples for different versions, tools or languages, as in tabs. */
export type Variant = Range & { label: string; code: string }

/** True if a fence contains more than comments, such as a note that a sample is missing. */
export function hasStatements(fence: string): boolean {
  const lines = fence.trim().split('\n').slice(1)
  return lines.some((line) => !/^\s*(?:$|\/\/|#[ \t]|`{3}|~{3})/.test(line))
}

export type BlockRange = Range & { kind: BlockKind }

const label = /^\s*\**([^\n*]{1,60}):\**\s*$/
/** Limits for notes between a label and its code: "Prefer the other version." */
const notes = { most: 3, characters: 200 }

/** Returns groups of variants with similar labels or code. Each is a label ("npm:") and code. */
export function findVariantGroups(text: string, blocks: readonly BlockRange[]): Variant[][] {
  const groups: Variant[][] = []
  let group: Variant[] = []
  const labels = new Set<string>()
  for (let at = 0; at < blocks.length; at++) {
    const next = variantAt(text, blocks, at)
    const last = group.at(-1)
    // A repeated label belongs to the next sample.
    const isNew =
      next === null ||
      (last !== undefined && !isVariant(last, next.variant)) ||
      labels.has(next.variant.label)
    if (isNew) {
      groups.push(group)
      group = []
      labels.clear()
    }
    if (next === null) continue
    group.push(next.variant)
    labels.add(next.variant.label)
    at = next.to
  }
  return [...groups, group].filter(({ length }) => length > 1)
}

/** Returns the variant whose label is the block `at` and the index of its last block, or null. */
function variantAt(
  text: string,
  blocks: readonly BlockRange[],
  at: number,
): { variant: Variant; to: number } | null {
  const title = labelOf(text, blocks[at]!)
  if (title === null) return null
  let to = at + 1
  while (to <= at + notes.most && isNote(text, blocks[to])) to++
  const fence = blocks[to]
  if (fence?.kind !== 'fence') return null
  const code = text.slice(fence.start, fence.end)
  return { variant: { start: blocks[at]!.start, end: fence.end, label: title, code }, to }
}

function labelOf(text: string, { kind, start, end }: BlockRange): string | null {
  return kind === 'paragraph' ? (label.exec(text.slice(start, end))?.[1]!.trim() ?? null) : null
}

function isNote(text: string, block: BlockRange | undefined): boolean {
  return (
    block?.kind === 'paragraph' &&
    labelOf(text, block) === null &&
    block.end - block.start <= notes.characters
  )
}

const families = [
  'npm yarn pnpm bun npx deno bunx',
  'pip uv poetry pipenv conda pdm',
  'bash zsh fish powershell cmd sh shell windows linux macos unix',
  'javascript typescript js ts jsx tsx python java go golang rust ruby php c c++ c# ' +
    'csharp kotlin ' +
    'swift scala node node.js nodejs curl http perl r julia dart elixir mongosh',
  'maven gradle sbt',
  'yaml json toml xml ini',
].map((names) => new Set(names.split(' ')))

function isVariant(a: Variant, b: Variant): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/[\d.+<>=-]+/g, '')
      .trim()
  if (plain(a.label) === plain(b.label) && a.label !== b.label) return true
  const first = (text: string) => text.toLowerCase().split(/[\s(]/)[0]!
  if (families.some((names) => names.has(first(a.label)) && names.has(first(b.label)))) return true
  return isAlike(a.code, b.code)
}

/** True if half of the shorter code's lines, at least three, occur in the longer code. */
function isAlike(a: string, b: string): boolean {
  const linesOf = (code: string) =>
    code
      .split('\n')
      .slice(1, -1)
      .map((line) => line.trim())
      .filter((line) => line.length > 3)
  const [shorter, longer] = [linesOf(a), linesOf(b)].sort((x, y) => x.length - y.length)
  const longerLines = new Set(longer)
  const alike = shorter!.filter((line) => longerLines.has(line)).length
  return shorter!.length >= 3 && alike * 2 >= shorter!.length
}
