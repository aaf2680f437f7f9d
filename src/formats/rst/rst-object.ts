import { chosenMembers, type MemberChoice } from '../../api/in-place.ts'
import { languages } from '../../api/language.ts'
import { firstSentence, pagedKinds, symbolText } from '../../api/render.ts'
import type { FoundSymbol } from '../../api/find-python.ts'
import type { ApiSymbol } from '../../api/symbol.ts'
import { notIncluded, notIncludedLine } from '../../document/not-found.ts'
import { joinLines } from '../../document/write-markdown.ts'
import { inlineCode, markdown, paragraph } from '../../document/nodes.ts'
import type { DocumentBlock, DocumentBlocks } from '../../document/tree.ts'
import type { ApiLookup } from '../parsed-text.ts'

/** The context in which autodoc resolves names. */
export type ObjectScope = {
  lookup: ApiLookup | undefined
  /** The last module named on the page. All blocks of a page share this object. */
  current: { module: string }
  /** The qualified name of the class whose directive is open, or ''. */
  owner: string
  defaults: ReadonlyMap<string, string>
}

/** Returns the options for all autodoc directives from the site's configuration. */
export function autodocDefaults(
  variables: ReadonlyMap<string, string> | undefined,
): ReadonlyMap<string, string> {
  const options = [...(variables ?? [])].filter(([name]) => name.startsWith(autodocOption))
  return new Map(options.map(([name, value]) => [name.slice(autodocOption.length), value]))
}

/** Prefix of site variables with autodoc options. */
export const autodocOption = 'autodoc:'

type ObjectDirective = { name: string; argument: string; options: ReadonlyMap<string, string> }

/** True for a directive with text from source files, such as `autoclass`. */
export function isAutoDirective(name: string): boolean {
  return autoDirective.test(name)
}

const autoDirective = new RegExp(
  '^(?:py:)?auto(?:api)?(?:class|exception|function|decorator|method|attribute|property|data' +
    '|module|enum|namedtuple|typevar|pydantic_model|pydantic_settings|pydantic_field)$',
)

/** Reads a directive that sets the module of later objects. */
export function enterModule(
  { name, argument }: ObjectDirective,
  current: ObjectScope['current'],
): void {
  if (/^(?:py:)?(?:currentmodule|module|auto(?:api)?module)$/.test(name)) {
    current.module = argument === 'None' ? '' : plainName(argument)
  }
}

/** Returns the scope inside an object's directive. */
export function scopeInside(directive: ObjectDirective, scope: ObjectScope): ObjectScope {
  if (!/^(?:py:)?(?:auto(?:api)?)?(?:class|exception|enum|pydantic_\w+)$/.test(directive.name))
    return scope
  const name = plainName(directive.argument)
  const { module } = scope.current
  const isQualified = module === '' || name.includes('.')
  return { ...scope, owner: isQualified ? name : `${module}.${name}` }
}

/** Returns `Session` for `Session(bind=None)`. `a::b` is an older form of `a.b`. */
function plainName(argument: string): string {
  return /^[\w.:]*/
    .exec(argument.trim())![0]
    .replaceAll('::', '.')
    .replace(/^\.+|[.:]+$/g, '')
}

/** Returns the possible names for an argument, most likely first. */
function possibleNames(argument: string, { current: { module }, owner }: ObjectScope): string[] {
  const name = plainName(argument)
  const inModule = module === '' ? [] : [`${module}.${name}`]
  // Inside the directive of `Session`, `Session.add` is a name in the module.
  const inOwner = owner === '' || name.includes('.') ? [] : [`${owner}.${name}`]
  // After `currentmodule`, a bare name is never a package.
  if (module !== '' && module !== name && !name.includes('.')) return [...inOwner, ...inModule]
  const isRelative = /^[^.]*$|^[A-Z]/.test(name)
  return isRelative ? [...inOwner, ...inModule, name] : [name, ...inModule, ...inOwner]
}

type Inside = {
  scope: ObjectScope
  /** The content of the directive itself. */
  inner: DocumentBlocks
  /** Converts the docstring of a module, which can contain directives. */
  textOf(docstring: string): DocumentBlocks
}

/** Renders an autodoc directive: signature, docstring, its own content and members. */
export function autoBlocks(
  directive: ObjectDirective,
  { scope, inner, textOf }: Inside,
): DocumentBlocks {
  const names = possibleNames(directive.argument, scope)
  const object = scope.lookup === undefined ? null : scope.lookup.find(names)
  const name = plainName(directive.argument)
  if (object === undefined) return inner
  if (object === null) return [markdown(notIncludedLine(name)), ...inner]
  const choice = choiceOf(directive.options, scope.defaults)
  const head = object.docstring === null ? symbolBlocks(object.symbol) : textOf(object.docstring)
  const members = chosenMembers(object, choice)
  return [...head, ...inner, ...members.flatMap((it) => memberBlocks(it, choice))]
}

function memberBlocks(symbol: ApiSymbol, choice: MemberChoice): DocumentBlocks {
  const own = symbolBlocks(symbol)
  if (!pagedKinds.has(symbol.kind)) return own
  const rule = typeof choice.members === 'string' ? choice.members : 'documented'
  const object: FoundSymbol = { symbol, inherited: [], docstring: null }
  const members = chosenMembers(object, { ...choice, members: rule })
  return [...own, ...members.flatMap((it) => memberBlocks(it, choice))]
}

function choiceOf(
  options: ReadonlyMap<string, string>,
  defaults: ReadonlyMap<string, string>,
): MemberChoice {
  const option = (name: string) =>
    options.has(`no-${name}`) ? undefined : (options.get(name) ?? defaults.get(name))
  const listOf = (value: string | undefined) => (value ?? '').match(/[\w.]+/g) ?? []
  const listed = listOf(option('members'))
  const isAll = option('undoc-members') !== undefined
  const members =
    option('members') === undefined
      ? 'none'
      : listed.length > 0
        ? listed
        : isAll
          ? 'all'
          : 'documented'
  return {
    members,
    excluded: new Set(listOf(option('exclude-members'))),
    hasInherited: option('inherited-members') !== undefined,
  }
}

const { style } = languages.python

/** Renders an object's signature and documentation. */
function symbolBlocks(symbol: ApiSymbol): DocumentBlocks {
  const [code = '', ...text] = symbolText(symbol, { style, keepsReferences: true })
  const signatures = signatureLines(symbol)
  const isShort = signatures.every((line) => line.length <= mostColumns)
  const head = signatureBlock(isShort ? signatures : [symbol.qualifiedName])
  return [...head, ...(isShort ? [] : [markdown(code)]), markdown(text.join('\n\n'))]
}

/** Renders signatures as code, one per line. */
export function signatureBlock(signatures: readonly string[]): DocumentBlock[] {
  if (signatures.length === 0) return []
  const lines = signatures.map((line) => [inlineCode(line)])
  return [paragraph(...joinLines(lines))]
}

const mostColumns = 240

/** Returns signatures as in Sphinx, one per line: the qualified name with parameters. */
function signatureLines({ signature, kind, name, qualifiedName }: ApiSymbol): string[] {
  const statements: string[] = []
  for (const line of signature.split('\n')) {
    if (/^[\s)]/.test(line) && statements.length > 0) statements.push(`${statements.pop()} ${line}`)
    else if (!line.startsWith('@')) statements.push(line)
  }
  const isClass = pagedKinds.has(kind)
  const calls = statements.filter((line) => !line.startsWith('class '))
  return (isClass && calls.length > 0 ? calls : statements).map((statement) => {
    const line = statement.replace(/\s+/g, ' ').replace(/\( /g, '(').replace(/,? \)/g, ')')
    const [, isAsync = '', rest = line] = /^(async )?(?:def |class )?(.*)$/.exec(line) ?? []
    const own = rest.startsWith(name) ? qualifiedName + rest.slice(name.length) : rest
    return `${isClass ? 'class ' : isAsync}${own}`
  })
}

/** Python directives whose signatures Sphinx shows with the module name. */
const inModule = /^(?:py:)?(?:function|class|exception|data|decorator)$/

/** Adds the module that the page names to a signature on the page. */
export function qualifiedSignature(
  signature: string,
  { name, scope }: { name: string; scope: ObjectScope },
): string {
  const { current, owner } = scope
  const isQualified = current.module === '' || owner !== '' || !inModule.test(name)
  if (isQualified || !/^[A-Za-z_]\w*(?![\w.])/.test(signature)) return signature
  return `${current.module}.${signature}`
}

/** Lists the names in `autosummary` with the first sentence of their documentation. */
export function summaryBlocks(
  body: readonly string[],
  { options, scope }: { options: ReadonlyMap<string, string>; scope: ObjectScope },
): DocumentBlocks {
  const items = body.flatMap((line) => {
    const [, name, text = ''] = /^\s*~?([A-Za-z_][\w.]*)(?:\s+(?:-+\s+)?(.*))?$/.exec(line) ?? []
    return name === undefined ? [] : [{ name, text: text.trim() }]
  })
  const objects = items.map(({ name }) => scope.lookup?.find(possibleNames(name, scope)))
  const entries = items.map(({ name, text }, at) => {
    const symbol = objects[at]?.symbol
    const sentence = symbol === undefined ? text : firstSentence(symbol.documentation) || text
    const code = options.has('nosignatures') || !symbol ? name : summarySignature(name, symbol)
    return [paragraph(inlineCode(code), ...(sentence === '' ? [] : [': ', markdown(sentence)]))]
  })
  const isOutOfReach = objects.length > 0 && objects.every((it) => it === null)
  const list: DocumentBlock = { type: 'list', start: null, items: entries }
  return isOutOfReach ? [list, paragraph(notIncluded)] : [list]
}

function summarySignature(source: string, symbol: ApiSymbol): string {
  const [line = ''] = signatureLines({ ...symbol, qualifiedName: source })
  const signature = line.replace(/^(?:class|async) /, '').replace(/ -> .*$/, '')
  if (!signature.startsWith(`${source}(`)) return source
  return signature.length <= mostSummary ? signature : `${signature.slice(0, mostSummary - 2)}…)`
}

const mostSummary = 100
