/**
 * Measures API references of languages that tree-sitter reads: `npm run eval -- documented
 * FOLDER…`. Each folder contains the sources of the library with its name. Patterns, which share no
 * code with og, find the declarations next to a documentation comment. Reports the share of their
 * names in the API reference.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { plainName } from '../../../src/api/page-symbols.ts'
import { referenceNames } from './eval-exports.ts'

export type DocumentedFigures = Record<
  string,
  { documented: number; found: number; share: number; missed: string[] }
>

export async function measureDocumented(folders: readonly string[]): Promise<DocumentedFigures> {
  const report: DocumentedFigures = {}
  for (const folder of folders) {
    const { names: written } = await referenceNames({ kind: 'local_path', path: folder }, '1')
    const known = new Set([...written].map(plainName))
    const names = documentedNames(folder)
    const isKnown = (name: string) =>
      known.has(name) || (/^\./.test(name) && [...known].some((it) => `.${it}`.endsWith(name)))
    const missed = names.filter((name) => !isKnown(name))
    const found = names.length - missed.length
    const share = Math.round((1000 * found) / names.length) / 1000
    const library = basename(folder).toLowerCase()
    report[library] = { documented: names.length, found, share, missed: missed.slice(0, 40) }
  }
  return report
}

const counters: readonly [file: RegExp, count: (text: string) => string[]][] = [
  [/\.h$/, cNames],
  [/(?:^|\/)lib\/.*\.ex$/, elixirNames],
  [/\.cs$/, csharpNames],
  [/(?:^|\/)lib\/.*\.rb$/, rubyNames],
  [/\.php$/, phpNames],
]
const aside = /(?:^|\/)(?:deps|contrib|tests?|examples?|samples?|docs|bench\w*|[^/]*Tests?|\..*)\//i

/** Returns the names of documented declarations. One that begins with `.` is a last part. */
export function documentedNames(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !aside.test(relative(folder, path)))
  const names = paths.flatMap((path) => {
    const counter = counters.find(([file]) => file.test(path))
    return counter && statSync(path).isFile() ? counter[1](readFileSync(path, 'utf8')) : []
  })
  return [...new Set(names)].sort()
}

/** Functions of C next to a comment: directly above, or directly below without one above. */
function cNames(text: string): string[] {
  const lines = text
    .split('\n')
    .filter((line) => !/^\s*#\s*(?:if|el|endif|undef|include)/.test(line))
  return lines.flatMap((line, at) => {
    const exported = /^PNG_EXPORTA?\(\d+,\s*[^,]+,\s*(\w+),/.exec(line)
    const plain = /^(?:[A-Z_]+ )?[a-zA-Z_][\w *]*?\b(\w+)(?: OF)?\(.*[,;]\s*$/.exec(line)
    const name = exported?.[1] ?? plain?.[1]
    if (name === undefined || /^(?:if|return|while|for)$/.test(name)) return []
    const isBelow = /\*\/\s*$/.test(lines[at - 1] ?? '')
    const isAbove = /;\s*$/.test(line) && /^\/\*/.test(lines[at + 1] ?? '')
    return isBelow || isAbove ? [name] : []
  })
}

/** Functions and macros of Elixir after `@doc` with a text, inside modules that are not hidden. */
function elixirNames(text: string): string[] {
  const names: string[] = []
  let modules: { name: string; indent: number; isHidden: boolean }[] = []
  let isDocumented = false
  let isText = false
  for (const line of text.split('\n')) {
    const indent = /^ */.exec(line)![0].length
    if (/"""/.test(line) && (line.match(/"""/g)?.length ?? 0) % 2 === 1) isText = !isText
    else if (isText) continue
    const module = /^\s*(?:defmodule|defprotocol) ([\w.]+) do/.exec(line)?.[1]
    const name = /^\s*(?:def|defmacro|defdelegate|defguard) ([\w?!]+)/.exec(line)?.[1]
    if (line.trim() !== '')
      modules = modules.filter((it) => it.indent < indent || line.trim() === 'end')
    if (module !== undefined) {
      modules = modules.filter((it) => it.indent < indent)
      const outer = modules.at(-1)
      modules.push({ name: outer ? `${outer.name}.${module}` : module, indent, isHidden: false })
    } else if (/^\s*@moduledoc false/.test(line)) modules.at(-1)!.isHidden = true
    else if (/^\s*@doc (?:~[sS])?"/.test(line)) isDocumented = true
    else if (/^\s*(?:@doc false|@(?:macro)?callback|quote)/.test(line)) isDocumented = false
    else if (name !== undefined && isDocumented) {
      const within = modules.findLast((it) => it.indent < indent)
      if (within?.indent === indent - 2 && !modules.some((it) => it.isHidden))
        names.push(`${within.name}.${name}`)
      isDocumented = false
    }
  }
  return names
}

/** Public declarations of C# after a summary, in files without internal types. */
function csharpNames(text: string): string[] {
  if (internalType.test(text)) return []
  const names: string[] = []
  let isDocumented = false
  for (const line of text.split('\n')) {
    if (/^\s*\/\/\/ *<(?:summary|inheritdoc)/.test(line)) isDocumented = true
    if (/^\s*(?:\/\/|\[|#|$)/.test(line)) continue
    const type = /^\s*public .*\b(?:class|struct|interface|enum|record) (\w+)/.exec(line)?.[1]
    const member = /^\s*public [^=(;{]*?\b(\w+)(?:<[^>(]*>)?\s*(?:[({;=]|$)/.exec(line)?.[1]
    const name = type ?? member
    if (isDocumented && name !== undefined && !/\boperator\b|\bthis\b/.test(line))
      names.push(`.${name}`)
    isDocumented = false
  }
  return names
}

/** Public classes and methods of Ruby directly below a comment. */
function rubyNames(text: string): string[] {
  const names: string[] = []
  let privateIndent = Infinity
  let comment = ''
  for (const line of text.split('\n')) {
    const indent = /^ */.exec(line)![0].length
    if (/^\s*(?:private|protected)$/.test(line)) privateIndent = indent
    else if (/^\s*(?:public|module_function)$/.test(line)) privateIndent = Infinity
    else if (line.trim() !== '' && indent < privateIndent) privateIndent = Infinity
    const name = /^\s*(?:def (?:\w+\.)?(?!self\b)|class |module )(\w[\w:]*[?!=]?)/.exec(line)?.[1]
    const isHidden = /:nodoc:|@private|@api private/.test(comment + line) || name?.startsWith('_')
    const isText = /^\s*#+ *\w/m.test(comment)
    if (name !== undefined && isText && !isHidden && privateIndent === Infinity)
      names.push(`.${name.replace(/^initialize$/, 'new').replaceAll('::', '.')}`)
    comment = /^\s*#(?! *(?:frozen_string|encoding|:))/.test(line) ? `${comment}${line}\n` : ''
  }
  return names
}

/** Types and methods of PHP directly below a comment, in files without internal types. */
function phpNames(text: string): string[] {
  const [, internal = ''] = /(@internal[^]*?\*\/\s*(?:#\[.*\s*)*\w+)/.exec(text) ?? []
  if (/\b(?:abstract|final|readonly|class|interface|trait)$/.test(internal)) return []
  const names: string[] = []
  let comment = ''
  for (const line of text.split('\n')) {
    const method = /^ {4}(?:(?:abstract|final|public|protected|static) )*function &?(\w+)/.exec(
      line,
    )?.[1]
    const type = /^(?:(?:abstract|final|readonly) )*(?:class|interface|trait|enum) (\w+)/.exec(
      line,
    )?.[1]
    const name = method ?? type
    if (name !== undefined && comment !== '' && !/@internal|@private/.test(comment))
      names.push(`.${name}`)
    if (/^\s*\/\*\*/.test(line)) comment = line
    else if (/^\s*\*/.test(line)) comment += line
    else if (!/^\s*#\[/.test(line)) comment = ''
  }
  return names
}

const internalType = new RegExp(
  '^ *(?:(?:internal|file|sealed|static|abstract|partial|readonly) )*' +
    '(?:class|struct|interface|record|enum) ',
  'm',
)
