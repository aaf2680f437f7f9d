import type { SyntaxNode } from '@lezer/common'
import type { SymbolKind } from '../symbol.ts'
import { formatBracketedList, childrenOf, onOneLine, truncateCode, type TextOf } from '../syntax.ts'

const bodies = ['Block', 'ClassBody', 'EnumBody']

/** Returns a function or method without its body. Splits a long parameter list into lines. */
export function functionSignature(node: SyntaxNode, textOf: TextOf): string {
  const body = childrenOf(node).find(({ name }) => bodies.includes(name))
  const list = node.getChild('ParamList')
  const end = body?.from ?? node.to
  if (list === null) return compactDeclaration(textOf({ from: node.from, to: end }))
  const head = compactDeclaration(textOf({ from: node.from, to: list.from }))
  const tail = compactDeclaration(textOf({ from: list.to, to: end }))
  const separated = /^(=>|[:)])/.test(tail) ? tail.replace(/^=>/, ' =>') : tail
  return formatBracketedList(head, parameterTexts(list, textOf), separated)
}

function parameterTexts(list: SyntaxNode, textOf: TextOf): string[] {
  const texts: string[] = []
  let start = list.from + 1
  for (const node of childrenOf(list)) {
    if (node.name !== ',' && node.name !== ')') continue
    texts.push(compactDeclaration(textOf({ from: start, to: node.from })))
    start = node.to
  }
  return texts.filter((text) => text !== '')
}

/** Returns an alias on one line, with `{ … }` instead of the given bodies. */
export function aliasSignature(
  node: SyntaxNode,
  textOf: TextOf,
  bodies: readonly SyntaxNode[] = [],
): string {
  const starts = [node.from, ...bodies.map(({ to }) => to)]
  const texts = starts.map((from, i) => textOf({ from, to: bodies[i]?.from ?? node.to }))
  return truncateCode(compactDeclaration(texts.join('{ … }')), 600)
}

/** Returns the names in a pattern such as `{ a, b: c }`. */
export function namesIn(pattern: SyntaxNode, textOf: TextOf): string[] {
  const names: string[] = []
  pattern.cursor().iterate((node) => {
    if (node.name === 'VariableDefinition') names.push(textOf(node))
  })
  return names
}

type Variable = { name: string; kind: SymbolKind; signature: string; object: SyntaxNode | null }

/** Returns the variables in `const a = 1, b = () => 2`, with function signatures. */
export function variableSignature(node: SyntaxNode, textOf: TextOf): Variable[] {
  const children = childrenOf(node)
  const word = children.find(({ name }) => /^(const|let|var|using)$/.test(name))?.name ?? 'const'
  return children.flatMap((child, at): Variable[] => {
    if (/^(Object|Array)Pattern$/.test(child.name)) {
      const signature = `${word} ${truncateCode(compactDeclaration(textOf(child)))}`
      return namesIn(child, textOf).map((name) => ({
        name,
        kind: 'value',
        signature,
        object: null,
      }))
    }
    if (child.name !== 'VariableDefinition') return []
    const name = textOf(child)
    const rest = children.slice(at + 1)
    const end = rest.findIndex(({ name: it }) => it === ',' || it === 'VariableDefinition')
    const own = end < 0 ? rest : rest.slice(0, end)
    const type = own.find(({ name: it }) => it === 'TypeAnnotation')
    const value = own.find((_, i) => own[i - 1]?.name === 'Equals')
    const object = value?.name === 'ObjectExpression' ? value : null
    if (type !== undefined) {
      const text = truncateCode(compactDeclaration(textOf(type)), 600)
      const isFunction = /^: *(<[^]*>)?\([^]*=>/.test(text)
      const kind = isFunction ? 'function' : 'value'
      return [{ name, kind, signature: `${word} ${name}${text}`, object }]
    }
    if (value?.name === 'ArrowFunction' || value?.name === 'FunctionExpression') {
      const signature = `${word} ${name} = ${functionHead(value, textOf)}`
      return [{ name, kind: 'function', signature, object }]
    }
    const text = value === undefined ? '' : ` = ${truncateCode(compactDeclaration(textOf(value)))}`
    return [{ name, kind: 'value', signature: `${word} ${name}${text}`, object }]
  })
}

/** Returns a signature for a value without a declaration, such as `exports.a = function (b) {}`. */
export function expressionSignature(name: string, node: SyntaxNode, textOf: TextOf): string {
  if (/^(Arrow)?Function/.test(node.name)) return `${name} = ${functionHead(node, textOf)}`
  return `${name} = ${truncateCode(compactDeclaration(textOf(node)))}`
}

/** Returns `(a: string): number => …`, without the return type of the arrow. */
function functionHead(node: SyntaxNode, textOf: TextOf): string {
  const arrow = node.getChild('Arrow')
  const end = arrow?.from ?? node.getChild('Block')?.from ?? node.to
  const head = compactDeclaration(textOf({ from: node.from, to: end }))
  return arrow === null ? head : `${head} => …`
}

/** Returns code on one line without comments, `export`, `declare` or the final semicolon. */
export function compactDeclaration(code: string): string {
  return onOneLine(
    code
      .replace(/\/\*[^]*?\*\//g, ' ')
      .replace(/^\s*(?:export\s+|default\s+|declare\s+)+/, '')
      .replace(/(^|[^:'"`])\/\/.*$/gm, '$1'),
  )
    .replace(/;$/, '')
    .replace(/, *(?=[)\]])/g, '')
    .replace(/,(?= *\})/g, '')
}
