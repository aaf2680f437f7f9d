import type { SyntaxNode } from '@lezer/common'
import { parser } from '@lezer/go'
import type { ApiSymbol, FileOutline } from '../symbol.ts'
import {
  formatBracketedList,
  childrenOf,
  lineFinder,
  onOneLine,
  truncateCode,
  type TextOf,
} from '../syntax.ts'
import { trimBlankLines } from '../docstring/indent.ts'

/**
 * Returns the exported declarations in a Go file. A method is a separate symbol with its receiver
 * type in `bases`, because another file may declare this type.
 */
export function outlineGo(text: string): FileOutline {
  const file: GoFile = { textOf: ({ from, to }) => text.slice(from, to), lineOf: lineFinder(text) }
  const outline: FileOutline = {
    documentation: '',
    symbols: [],
    references: [],
    exported: null,
    exportedOf: [],
  }
  for (const { node, comment } of commented(parser.parse(text).topNode, file)) {
    if (node.name === 'PackageClause') {
      outline.documentation = comment.text
      outline.packageName = nameOf(node, file)
    } else outline.symbols.push(...declared(node, comment, file))
  }
  return outline
}

type GoFile = { textOf: TextOf; lineOf: (offset: number) => number }
type Commented = { node: SyntaxNode; comment: GoComment }

/** Returns each child with the comment that ends on the line before it. */
function commented(body: SyntaxNode, { textOf, lineOf }: GoFile): Commented[] {
  const nodes: Commented[] = []
  let lines: string[] = []
  let next = -1
  for (const node of childrenOf(body)) {
    const line = lineOf(node.from)
    if (node.name === 'LineComment' || node.name === 'BlockComment') {
      const before = nodes.at(-1)?.node
      // A comment at the end of a declaration's line belongs to that declaration.
      if (before !== undefined && lineOf(before.to) === line) continue
      if (line !== next) lines = []
      lines.push(...textOf(node).split('\n'))
      next = lineOf(node.to) + 1
    } else {
      nodes.push({ node, comment: parseGoComment(line === next ? lines : []) })
      lines = []
    }
  }
  return nodes
}

function declared(node: SyntaxNode, comment: GoComment, file: GoFile): ApiSymbol[] {
  if (node.name === 'FunctionDecl' || node.name === 'MethodDecl') {
    return functionSymbol(node, comment, file)
  }
  const word = words[node.name]
  if (word === undefined) return []
  const list = node.getChild('SpecList')
  const specs = list === null ? [{ node: node.lastChild!, comment }] : commented(list, file)
  return specs.flatMap((it) => {
    const own = it.comment.text === '' && it.comment.deprecated === null ? comment : it.comment
    return word === 'type'
      ? typeSymbol(it.node, own, file)
      : valueSymbols(word, { ...it, comment: own }, file)
  })
}

const words: Record<string, string> = { TypeDecl: 'type', ConstDecl: 'const', VarDecl: 'var' }

function nameOf(node: SyntaxNode, { textOf }: GoFile): string {
  const name = node.getChild('DefName') ?? node.getChild('FieldName')
  return name === null ? '' : textOf(name)
}

function isExportedGo(name: string): boolean {
  return /^\p{Lu}/u.test(name)
}

function functionSymbol(node: SyntaxNode, comment: GoComment, file: GoFile): ApiSymbol[] {
  const name = nameOf(node, file)
  if (!isExportedGo(name)) return []
  const { textOf } = file
  const lists = node.getChildren('Parameters')
  const isMethod = node.name === 'MethodDecl'
  const list = lists[isMethod ? 1 : 0]
  const end = node.getChild('Block')?.from ?? node.to
  const signature =
    list === undefined
      ? onOneLine(textOf({ from: node.from, to: end }))
      : formatBracketedList(
          onOneLine(textOf({ from: node.from, to: list.from })),
          list.getChildren('Parameter').map((it) => onOneLine(textOf(it))),
          ` ${onOneLine(textOf({ from: list.to, to: end }))}`.trimEnd(),
        )
  const receiver =
    isMethod && lists[0] ? /(\w+)(?:\[[^\]]*\])?\)$/.exec(textOf(lists[0]))?.[1] : undefined
  const kind = isMethod ? 'method' : 'function'
  const symbol = symbolOf(name, { kind, signature, comment, line: file.lineOf(node.from) })
  return [receiver === undefined ? symbol : { ...symbol, bases: [receiver] }]
}

function typeSymbol(spec: SyntaxNode, comment: GoComment, file: GoFile): ApiSymbol[] {
  const name = nameOf(spec, file)
  if (spec.name !== 'TypeSpec' || !isExportedGo(name)) return []
  const { textOf, lineOf } = file
  const struct = spec.getChild('StructType')
  const contract = spec.getChild('InterfaceType')
  const body = struct?.getChild('StructBody') ?? contract?.getChild('InterfaceBody') ?? null
  const head = { from: spec.from, to: body?.from ?? spec.to }
  const symbol = symbolOf(name, {
    kind: struct !== null ? 'class' : contract !== null ? 'interface' : 'type',
    signature: truncateCode(`type ${textOf(head)}`, 600),
    comment,
    line: lineOf(spec.from),
  })
  if (body === null) return [symbol]
  const members = commented(body, file).flatMap((it) => memberSymbols(it, file))
  const embedded = body
    .getChildren('FieldDecl')
    .filter((it) => it.getChild('FieldName') === null)
    .map((it) => onOneLine(textOf(it)).replace(/^\*|\s*`.*$/g, ''))
  return [{ ...symbol, members, ...(embedded.length > 0 ? { bases: embedded } : {}) }]
}

function memberSymbols({ node, comment }: Commented, file: GoFile): ApiSymbol[] {
  const kind = node.name === 'MethodElem' ? 'method' : 'value'
  return namedSymbols(node, 'FieldName', { kind, word: '', comment, file })
}

function valueSymbols(word: string, { node, comment }: Commented, file: GoFile): ApiSymbol[] {
  return namedSymbols(node, 'DefName', { kind: 'value', word: `${word} `, comment, file })
}

type Naming = { kind: 'method' | 'value'; word: string; comment: GoComment; file: GoFile }

/** Returns a symbol for each exported name. The symbols share the rest of the declaration. */
function namedSymbols(node: SyntaxNode, part: string, naming: Naming): ApiSymbol[] {
  const { kind, word, comment, file } = naming
  const names = node.getChildren(part)
  const last = names.at(-1)
  if (last === undefined) return []
  const shared = file.textOf({ from: last.to, to: node.to }).replace(/\s*`[^`]*`$/, '')
  const line = file.lineOf(node.from)
  return names
    .map(file.textOf)
    .filter(isExportedGo)
    .map((name) => {
      const signature = truncateCode(`${word}${name}${shared}`)
      return symbolOf(name, { kind, signature, comment, line })
    })
}

type Declared = Pick<ApiSymbol, 'kind' | 'signature' | 'line'> & { comment: GoComment }

function symbolOf(name: string, { comment, ...declared }: Declared): ApiSymbol {
  const { text: documentation, deprecated } = comment
  return {
    ...declared,
    name,
    qualifiedName: name,
    documentation,
    deprecated,
    members: [],
    since: null,
  }
}

type GoComment = { text: string; deprecated: string | null }

/** Parses the lines of a comment with comment marks. Indented lines are code. */
export function parseGoComment(lines: readonly string[]): GoComment {
  const plain = lines.map((line) =>
    line
      .replace(/^\s*(?:\/\/|\/\*)/, '')
      .replace(/\*\/\s*$/, '')
      .trimEnd(),
  )
  const shown = plain.filter((line) => !/^(go|nolint|lint|line|export)[: ]\S/.test(line))
  const output: string[] = []
  for (let at = 0; at < shown.length; ) {
    const line = shown[at]!
    if (!/^(\t| {2,})\S/.test(line) || /^ {2,}(?:[-*+•]|\d+[.)]) /.test(line)) {
      output.push(line.replace(/^ /, ''))
      at++
      continue
    }
    let end = at
    while (end < shown.length && /^(\t| {2,}|$)/.test(shown[end]!)) end++
    const code = trimBlankLines(shown.slice(at, end).map((it) => it.replace(/^(\t| {2,4})/, '')))
    output.push('```go', ...code, '```', '')
    at = end
  }
  const paragraphs = trimBlankLines(output)
    .join('\n')
    .split(/\n{2,}/)
  const notice = paragraphs.find((it) => it.startsWith('Deprecated:'))
  const deprecated = notice?.slice('Deprecated:'.length).replace(/\s+/g, ' ').trim() ?? null
  return { text: paragraphs.filter((it) => it !== notice).join('\n\n'), deprecated }
}
