import { closingBracket } from '../platform/text/bracket.ts'
import type { PageSymbol } from './page-symbols.ts'

/** A difference between the public names of two versions. */
export type ApiChange = {
  status: 'added' | 'removed' | 'renamed' | 'changed' | 'deprecated'
  name: string
  /** The new name of a renamed symbol. */
  to: string | null
  /** The signature; null if the name is missing. */
  before: string | null
  after: string | null
  /** Changed parameters, such as `+ timeout=5`, `- retries` and `~ limit=1 → limit=2`. */
  parameters: string[]
  /** The text of a deprecation notice. */
  note: string | null
}

/** Returns the differences, removed names first and each group sorted by name. */
export function compareSymbols(
  older: readonly PageSymbol[],
  newer: readonly PageSymbol[],
): ApiChange[] {
  const [before, after] = [byName(older), byName(newer)]
  const isInherited = inheritedCheck(after)
  const aliases = new Set(newer.flatMap((it) => it.aliases ?? []))
  const isMoved = (name: string) => aliases.has(name) || isInherited(name)
  const removed = [...before.values()].filter(
    ({ qualifiedName: name }) => !after.has(name) && !isMoved(name),
  )
  const added = [...after.values()].filter(({ qualifiedName: name }) => !before.has(name))
  const renamed = renamedSymbols(removed, added)
  const isRenamed = new Set([...renamed].flat())
  const changes: ApiChange[] = [
    ...removed.filter((it) => !isRenamed.has(it)).map((it) => change('removed', it, null)),
    ...removedAliases(older, (name) => after.has(name), aliases),
    ...[...renamed].map(([from, to]) => change('renamed', from, to)),
  ]
  const both = [...before.values()].flatMap((old) => {
    const now = after.get(old.qualifiedName)
    return now === undefined ? [] : [[old, now] as const]
  })
  changes.push(
    ...both
      .filter(([old, now]) => !isSameCode(comparedText(old.signature), comparedText(now.signature)))
      .map(([old, now]) => change('changed', old, now)),
    ...both
      .filter(([old, now]) => old.deprecated === null && now.deprecated !== null)
      .map(([old, now]) => change('deprecated', old, now)),
    ...added.filter((it) => !isRenamed.has(it)).map((it) => change('added', null, it)),
  )
  return changes
}

function removedAliases(
  older: readonly PageSymbol[],
  isThere: (name: string) => boolean,
  aliases: ReadonlySet<string>,
): ApiChange[] {
  return older.flatMap((symbol) => {
    const gone = (symbol.aliases ?? []).filter((name) => !isThere(name) && !aliases.has(name))
    return isThere(symbol.qualifiedName)
      ? gone.map((qualifiedName) => change('removed', { ...symbol, qualifiedName }, null))
      : []
  })
}

/** Returns a function that checks whether a class still inherits a member. */
function inheritedCheck(symbols: ReadonlyMap<string, PageSymbol>): (name: string) => boolean {
  const inherited = new Map(
    [...symbols].flatMap(([name, symbol]) =>
      symbol.inherited ? [[name, new Set(symbol.inherited)] as const] : [],
    ),
  )
  return (name) => {
    const [, scope = '', member = ''] = /^(.*?)(?:::|[.#\\])([^.:#\\]+)$/.exec(name) ?? []
    return inherited.get(scope)?.has(member) ?? false
  }
}

function byName(symbols: readonly PageSymbol[]): Map<string, PageSymbol> {
  const sorted = symbols.toSorted((a, b) => (a.qualifiedName < b.qualifiedName ? -1 : 1))
  return new Map(sorted.map((symbol) => [symbol.qualifiedName, symbol]))
}

/** Maps removed symbols to added ones if only the name in a unique signature differs. */
function renamedSymbols(
  removed: readonly PageSymbol[],
  added: readonly PageSymbol[],
): Map<PageSymbol, PageSymbol> {
  const byShape = Map.groupBy(added, shapeOf)
  const renamed = new Map<PageSymbol, PageSymbol>()
  const shapes = Map.groupBy(removed, shapeOf)
  for (const [shape, old] of shapes) {
    const now = byShape.get(shape) ?? []
    if (old.length === 1 && now.length === 1 && isTelling(shape)) renamed.set(old[0]!, now[0]!)
  }
  return renamed
}

/** Replaces the name in a signature with `…`. */
function shapeOf({ qualifiedName, signature }: PageSymbol): string {
  const name = /[^.:/#]+$/.exec(qualifiedName)?.[0] ?? ''
  return signature.replaceAll(new RegExp(`(?<![\\w$])${RegExp.escape(name)}(?![\\w$])`, 'g'), '…')
}

/** Unrelated functions can share a short signature such as `def …()`. */
function isTelling(shape: string): boolean {
  return shape.length >= 24
}

function change(
  status: ApiChange['status'],
  old: PageSymbol | null,
  now: PageSymbol | null,
): ApiChange {
  const isBoth = old !== null && now !== null
  return {
    status,
    name: (old ?? now)?.qualifiedName ?? '',
    to: status === 'renamed' ? (now?.qualifiedName ?? null) : null,
    before: old?.signature ?? null,
    after: now?.signature ?? null,
    parameters:
      isBoth && status === 'changed' ? parameterChanges(old.signature, now.signature) : [],
    note: status === 'deprecated' ? (now?.deprecated ?? null) : null,
  }
}

function parameterChanges(before: string, after: string): string[] {
  const [old, now] = [parametersOf(before), parametersOf(after)]
  return [
    ...[...old].filter(([name]) => !now.has(name)).map(([, code]) => `- ${code}`),
    ...[...old].flatMap(([name, code]) => {
      const other = now.get(name)
      return other === undefined || isSameCode(code, other) ? [] : [`~ ${code} → ${other}`]
    }),
    ...[...now].filter(([name]) => !old.has(name)).map(([, code]) => `+ ${code}`),
  ]
}

/** True if pieces of code differ only in notation, such as `Optional[int]` and `int | None`. */
function isSameCode(one: string, other: string): boolean {
  return one === other || modernTypes(one) === modernTypes(other)
}

/**
 * Normalizes Python notation: `'a'` to `"a"`, `class Lamp(object)` to `class Lamp`, `"Lamp"` to
 * `Lamp`, `t.Optional[int]` to `int | None`, `Union[int, str]` to `int | str` and `List[int]` to
 * `list[int]`.
 */
function modernTypes(code: string): string {
  if (code.length > mostCode) return code
  let text = code
    .replace(/'([^'"\\]*)'/g, '"$1"')
    .replace(/^(class \w+)\(object\)/, '$1')
    .replace(/(?<=: |-> |[[,|] ?)"([A-Za-z_][\w.[\], |]*)"/g, '$1')
    .replace(/\b(?:typing|t)\.(?=[A-Z])/g, '')
    .replace(/\b(?:Dict|FrozenSet|List|Set|Tuple|Type)(?=\[)/g, (name) => name.toLowerCase())
  for (let at = text.search(optional); at >= 0; at = text.search(optional)) {
    const start = text.indexOf('[', at)
    const close = closingBracket(text, start)
    const end = close < 0 ? text.length : close
    const items = splitItems(text.slice(start + 1, end))
    const isUnion = text.startsWith('Union', at)
    const union = isUnion ? items : [...items, 'None']
    text = text.slice(0, at) + union.join(' | ') + text.slice(end + 1)
  }
  return text
}

/** Longer code is compared without normalization, whose time is quadratic. */
const mostCode = 5000
const optional = /\b(?:Optional|Union)\[/

function splitItems(list: string): string[] {
  const items = ['']
  let depth = 0
  for (const char of list) {
    if ('[('.includes(char)) depth++
    else if ('])'.includes(char)) depth--
    if (char === ',' && depth === 0) items.push('')
    else items[items.length - 1] += char
  }
  return items.map((item) => item.trim()).filter((item) => item !== '')
}

/** Returns a signature without annotations such as `@Nullable`, with one line per overload. */
function comparedText(signature: string): string {
  return signature
    .replace(/@[\w.]+ +/g, '')
    .replace(/\(\n +/g, '(')
    .replace(/,(?:\n +| *)(?=\S)/g, ', ')
    .replace(/,\s*(?=\n?\))/g, '')
    .replace(/(?<=[=:(<] ?)\| /g, '')
    .replace(/\n\)/g, ')')
    .replace(/,$/gm, '')
}

/**
 * Maps parameter names to their code in all overloads. The first list in a line contains the
 * parameters. Skips the receiver of a Go method and a tuple of return types.
 */
function parametersOf(signature: string): Map<string, string> {
  const parameters = new Map<string, string>()
  const text = comparedText(signature)
  const nameOf = /^(?:func|type) /.test(text) ? firstName : parameterName
  let [depth, start, isTaken] = [0, -1, false]
  const take = (end: number) => {
    const code = text.slice(start, end).trim()
    const name = nameOf(code)
    if (name !== undefined && !parameters.has(name)) parameters.set(name, code.replace(/\s+/g, ' '))
  }
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    if ('([{<'.includes(char)) {
      const isReceiver = at === 5 && text.startsWith('func (')
      if (depth++ === 0 && char === '(' && !isTaken && !isReceiver) start = at + 1
    } else if (')]}'.includes(char) || (char === '>' && !'-='.includes(text[at - 1] ?? ''))) {
      if (--depth === 0 && char === ')' && start >= 0) {
        take(at)
        isTaken = true
        start = -1
      }
      depth = Math.max(0, depth)
    } else if (char === ',' && depth === 1 && start >= 0) {
      take(at)
      start = at + 1
    } else if (char === '\n' && depth === 0) isTaken = false
  }
  return parameters
}

/** Returns the parameter's name, before or after its type: `limit: number`, `final int limit`. */
function parameterName(code: string): string | undefined {
  const last = code.slice(code.lastIndexOf(' ') + 1)
  const isBehindType = last !== code && /^[\w$]+$/.test(last) && !/(?<!:):(?!:)|=/.test(code)
  return isBehindType ? last : firstName(code)
}

function firstName(code: string): string | undefined {
  return /^(?:[*&.]|\.\.\.|(?:public|private|protected|readonly|mut) )*([\w$]+)/.exec(code)?.[1]
}
