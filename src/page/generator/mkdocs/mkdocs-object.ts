import { isRecord } from '../../../platform/json.ts'
import type { FoundSymbol } from '../../../api/find-python.ts'
import { chosenMembers, placedMarkdown, type MemberChoice } from '../../../api/in-place.ts'
import type { ApiLookup } from '../../include/api-lookup.ts'
import { notIncluded, notIncludedLine } from '../../include/not-found.ts'
import { appendLines } from '../../../document/block-lines.ts'
import { growthLimitFor, type GrowthLimit } from '../../../document/growth.ts'
import { fenceAfter, type Fence } from '../../../document/fence.ts'
import { scalarsOf, stringsOf, mapAt, type YamlMap } from '../yaml-data.ts'

/** The prefix of the site variables that contain options of mkdocstrings. */
const optionMark = 'mkdocstrings:'

/** The mkdocstrings options and the Python package folders of a configuration. */
export function mkdocstringsSettings(plugin: YamlMap | undefined): {
  folders: string[]
  variables: [string, string][]
} {
  const python = mapAt(mapAt(plugin ?? {}, 'handlers'), 'python')
  const options = isRecord(python.options) ? python.options : {}
  const scalars = [...scalarsOf(options)]
  return {
    folders: stringsOf(python.paths),
    variables: scalars.map(([name, value]) => [optionMark + name, value]),
  }
}

type Options = ReadonlyMap<string, readonly string[]>
type Placing = {
  lookup: ApiLookup | undefined
  growth?: GrowthLimit | undefined
  variables: ReadonlyMap<string, string>
}

/** Replaces each mkdocstrings line `::: package.object` with the documentation of the object. */
export function withObjects(
  text: string,
  { growth = growthLimitFor(text.length), ...placing }: Placing,
): string {
  if (!/^[ \t]*:::[ \t]/m.test(text)) return text
  const lines = text.split('\n')
  const out: string[] = []
  let fence: Fence | null = null
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at]!
    const bare = line.replace(/^(?: {4})+/, '')
    const [, indent = '', name] = /^(\s*):::\s+([A-Za-z_][\w.]*)\s*$/.exec(line) ?? []
    if (fence !== null || name === undefined || !name.includes('.')) {
      fence = fenceAfter(bare, fence)
      out.push(line)
      continue
    }
    const end = blockEnd(lines, at, indent.length)
    const options = optionsIn(lines.slice(at + 1, end))
    at = end - 1
    if (growth.left() === 0) continue
    const shown = objectText(name, { ...placing, options }).split('\n')
    const indented = shown.map((one) => (one === '' ? '' : indent + one))
    if (growth.take(lengthOf(indented))) appendLines(out, [...indented, ''])
  }
  return out.join('\n')
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0)
}

/** The line after the options, which are indented by four more columns than the directive. */
function blockEnd(lines: readonly string[], at: number, columns: number): number {
  let end = at + 1
  for (let to = end; to < lines.length; to++) {
    const line = lines[to]!
    if (line.trim() === '') continue
    if (line.length - line.trimStart().length < columns + 4) break
    end = to + 1
  }
  return end
}

/** The values of the options, regardless of their group: `members: [a]`, or a list below. */
function optionsIn(lines: readonly string[]): Options {
  const options = new Map<string, string[]>()
  let last: string[] | undefined
  for (const line of lines) {
    const [, name, value = ''] = /^\s*([a-z_]+):(?:\s+(.*))?$/.exec(line) ?? []
    const [, item] = /^\s*-\s+(.*)$/.exec(line) ?? []
    if (item !== undefined) last?.push(unquoted(item))
    if (name === undefined) continue
    last = value.split(',').flatMap((one) => unquoted(one) || [])
    options.set(name, last)
  }
  return options
}

function unquoted(value: string): string {
  return value.trim().replace(/^[["']+|[\]"']+$/g, '')
}

function objectText(
  name: string,
  { lookup, variables, options }: Placing & { options: Options },
): string {
  const found = lookup === undefined ? null : lookup.find([name])
  if (found === undefined) return ''
  if (found === null) return notIncludedLine(name)
  const option = (key: string) => options.get(key)?.join(',') ?? variables.get(optionMark + key)
  const level = Number(option('heading_level') ?? 2)
  const choice = choiceOf(options, option)
  return [placedMarkdown(found, choice, level || 2), ...missing(found, choice)].join('\n\n')
}

function choiceOf(options: Options, option: (key: string) => string | undefined): MemberChoice {
  const listed = options.get('members')
  const rule = option('show_if_no_docstring') === 'true' ? 'all' : 'documented'
  const word = listed?.length === 1 ? listed[0]!.toLowerCase() : ''
  const members =
    listed === undefined || word === 'true' || /^(?:null|~)$/.test(word)
      ? rule
      : listed.length === 0 || word === 'false' || word === 'none'
        ? 'none'
        : listed
  const hasInherited = !/^(?:false)?$/.test(option('inherited_members') ?? '')
  const excluded = (options.get('filters') ?? []).flatMap(
    (it) => /^!\^?(\w+)\$?$/.exec(it)?.[1] ?? [],
  )
  return { members, excluded: new Set(excluded), hasInherited }
}

/** A line for the members that the page lists but whose classes are in another package. */
function missing(found: FoundSymbol, choice: MemberChoice): string[] {
  if (typeof choice.members === 'string') return []
  const own = new Set(chosenMembers(found, choice).map(({ name }) => name))
  const names = choice.members.filter((name) => !own.has(name) && !choice.excluded.has(name))
  return names.length === 0 ? [] : [`${names.map((it) => `\`${it}\``).join(', ')} ${notIncluded}`]
}
