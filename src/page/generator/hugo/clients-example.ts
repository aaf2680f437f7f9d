import { fenceCode } from '../../../document/fence.ts'
import { missingExampleLine } from '../../include/not-found.ts'
import type { Include, IncludeFinder } from '../../include/include.ts'
import { dedent } from '../../include/include-part.ts'
import { languageOfPath } from '../../language.ts'
import type { ReadText } from '../generator.ts'
import { shortcodeAt, type Shortcode } from './shortcode.ts'

/** Matches the files with examples that the shortcode `clients-example` of Redis shows. */
export const exampleFiles = /(?:^|\/)local_examples\/.+\.\w{1,5}$/

/** The first lines of an example file name its set: `# EXAMPLE: set_tutorial`. */
const headerLength = 400

/** The files of each set of examples, one path per line, keyed by `example:` and the set. */
export async function exampleSets(
  paths: readonly string[],
  read: ReadText,
): Promise<Map<string, string>> {
  const sets = new Map<string, string>()
  for (const path of paths) {
    const text = await read(path)
    const [, name] = /\bEXAMPLE:[ \t]*(\S+)/.exec(text?.slice(0, headerLength) ?? '') ?? []
    if (name === undefined) continue
    const before = sets.get(`example:${name}`)
    sets.set(`example:${name}`, before === undefined ? path : `${before}\n${path}`)
  }
  return sets
}

/**
 * Finds a `clients-example` shortcode without content, which shows a step of the example files of a
 * set, one for each client library.
 */
export function clientsExample(
  shortcode: Shortcode,
  {
    lines,
    indent,
    at,
  }: { lines: readonly string[]; indent: string; at: Parameters<IncludeFinder>[1] },
): Include | null {
  const to = endOfEmpty(lines, at.line, shortcode)
  const { site } = at
  if (to === null || site === undefined) return null
  const { set, step, clients } = wantedExample(shortcode)
  const paths = (site.variables.get(`example:${set}`)?.split('\n') ?? []).filter(
    (path) => clients.length === 0 || clients.includes(clientOf(path)),
  )
  const up = '../'.repeat(site.path.split('/').length - 1)
  const includes = paths.map((path): Include => {
    const render = (text: string) => {
      const code = stepOf(text, step)
      if (code === null) return null
      const fence = fenceCode(code.join('\n'), languageOfPath(path))
      const shown = `${clientOf(path)}:\n\n${fence}\n`.split('\n')
      return shown.map((line) => (line === '' ? '' : indent + line))
    }
    return { from: at.line, to, target: up + path, render, isMarkup: false }
  })
  const [first, ...also] = includes
  const missingLine = missingClientsExample(shortcode)
  return first === undefined ? null : { ...first, also, isAnyOf: true, missingLine }
}

/** The line that replaces an example that the source lacks. */
export function missingClientsExample(shortcode: Shortcode): string {
  const { set, step, clients } = wantedExample(shortcode)
  const named = [set, step].filter((it) => it !== '').join(' ')
  return missingExampleLine(clients.length === 0 ? named : `${named} (${clients.join(', ')})`)
}

function wantedExample({ args }: Shortcode): { set: string; step: string; clients: string[] } {
  const value = (name: string, index: number) => args.get(name) ?? args.get(String(index)) ?? ''
  const written = args.get('language') ?? value('lang_filter', 2)
  // The name in brackets is the library, as in `C#-Sync (NRedisStack)`.
  const clients = written.split(',').map((it) => it.replace(/\(.*/, '').trim())
  return {
    set: value('set', 0),
    step: value('step', 1),
    clients: clients.filter((it) => it !== ''),
  }
}

/** The line after the closing shortcode if there is nothing in between; otherwise null. */
function endOfEmpty(lines: readonly string[], line: number, { to }: Shortcode): number | null {
  let rest = lines[line]!.slice(to)
  let at = line + 1
  while (rest.trim() === '' && at < line + 4 && at < lines.length) rest = lines[at++]!
  const close = shortcodeAt(rest.trim(), 0)
  const isClosed = close?.kind === 'close' && close.name === 'clients-example'
  return isClosed && close.to === rest.trim().length ? at : null
}

/** The lines of a step; null if the file lacks it. Without a step, the whole example. */
function stepOf(text: string, step: string): string[] | null {
  const shown: string[] = []
  let isInside = step === ''
  let isHidden = false
  let isFound = isInside
  for (const line of text.split('\n')) {
    const [, kind = '', side, name] =
      /\b(STEP|HIDE|REMOVE)_(START|END)\b[ \t]*(\S*)/.exec(line) ?? []
    if (kind === 'STEP' && step !== '') {
      isInside = side === 'START' && name === step
      isFound ||= isInside
    } else if (kind === 'REMOVE' || (kind === 'HIDE' && step === '')) isHidden = side === 'START'
    else if (kind === '' && isInside && !isHidden && !exampleMark.test(line)) shown.push(line)
  }
  return isFound ? trimBlank(dedent(shown)) : null
}

const exampleMark = /^\s*(?:#|\/\/)\s*(?:EXAMPLE:|BINDER_ID|KERNEL_NAME)/

function trimBlank(lines: string[]): string[] {
  const first = lines.findIndex((line) => line.trim() !== '')
  const last = lines.findLastIndex((line) => line.trim() !== '')
  return first < 0 ? [] : lines.slice(first, last + 1)
}

/** The name of the client library on the site, from the extension and the folders of the file. */
function clientOf(path: string): string {
  const isIn = (name: string) => new RegExp(`(?:^|[/-])${name}(?=[/-])`).test(path)
  const way = isIn('async') ? 'Async' : isIn('reactive') ? 'Reactive' : 'Sync'
  const extension = path.slice(path.lastIndexOf('.') + 1)
  if (extension === 'js') return isIn('ioredis') ? 'ioredis' : 'Node.js'
  if (extension === 'java') return isIn('lettuce-sync') ? 'Lettuce-Sync' : `Java-${way}`
  if (extension === 'cs') return `C#-${way}`
  if (extension === 'rs') return `Rust-${way}`
  return Object.hasOwn(clientNames, extension) ? clientNames[extension]! : extension
}

const clientNames: Record<string, string> = {
  py: 'Python',
  go: 'Go',
  c: 'C',
  php: 'PHP',
  rb: 'Ruby',
}
