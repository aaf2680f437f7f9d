import type { Range } from '../../chunk/range.ts'
import { bodyBlocks } from './body-block.ts'
import type { Excerpt } from './excerpt-range.ts'
import type { Focus } from './focus.ts'
import { sectionsOf, type Outline } from './outline.ts'

/** One of several samples that say the same for other versions, tools or languages: a tab. */
type Variant = Range & { label: string; code: string }

/**
 * Of code in several variants the one that was found, of several the one that holds the name that
 * is asked, else the first that is whole; and the labels of the others in one line below it.
 */
export function withoutVariants(
  outline: Outline,
  excerpt: Excerpt,
  { named }: Pick<Focus, 'named'>,
): Excerpt {
  return [...sectionsOf(outline, excerpt.ranges)]
    .flatMap((at) => variantGroups(outline, bodyBlocks(outline, outline.sections[at]!)))
    .reduce((kept, group) => withOneOf(group, kept, named), excerpt)
}

function withOneOf(
  group: readonly Variant[],
  { ranges, frame }: Excerpt,
  named: Focus['named'],
): Excerpt {
  const shares = group.map((variant) => {
    const share = sharedBy(variant, ranges) / (variant.end - variant.start)
    return share === 0 ? 0 : share + named(variant.code)
  })
  const most = Math.max(...shares)
  if (most === 0) return { ranges, frame }
  const at = shares.indexOf(most)
  const others = group.toSpliced(at, 1)
  const left = others.reduce<Range[]>((all, variant) =>
    all.flatMap((range) => without(range, variant)), ranges)
  const framed = frame.filter((part) => !others.some((variant) => shared(variant, part) > 0))
  const labels = others.map(({ label }) => label).join(', ')
  // It stands for those that follow, so that what comes after them follows it.
  const note = { start: group[at]!.end, end: group.at(-1)!.end, instead: `[also: ${labels}]` }
  return { ranges: left, frame: [...framed, note] }
}

function shared(a: Range, b: Range): number {
  return Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
}

function sharedBy(variant: Range, ranges: readonly Range[]): number {
  return ranges.reduce((sum, range) => sum + shared(variant, range), 0)
}

function without(range: Range, { start, end }: Range): Range[] {
  if (end <= range.start || range.end <= start) return [range]
  const parts = [{ start: range.start, end: start }, { start: end, end: range.end }]
  return parts.filter((part) => part.start < part.end)
}

type Block = ReturnType<typeof bodyBlocks>[number]

const label = /^\**([^\n*]{1,60}):\**\s*$/

/** Runs of "Label:" and code whose labels or codes are alike. */
function variantGroups({ text }: Outline, blocks: readonly Block[]): Variant[][] {
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
