import type { FileOutline } from '../symbol.ts'
import type { RustItem } from './rust-item.ts'

/** Adds the names of `use a::{b, c as d, e::*};` to an outline. Paths are joined with dots. */
export function readUse({ node, file }: RustItem, outline: FileOutline): void {
  const visibility = node.getChild('Vis')
  const isPassedOn = visibility !== null && file.textOf(visibility).trim() === 'pub'
  const code = file
    .textOf({ from: node.getChild('use')?.to ?? node.from, to: node.to })
    .replace(/\/\*[^]*?\*\/|\/\/.*$/gm, ' ')
    .replace(/;\s*$/, '')
  for (const { path, name } of leavesOf(code)) {
    const parts = path.filter((part) => part !== '')
    const last = parts.at(-1)
    if (last === undefined) continue
    if (last === '*') {
      const module = parts.slice(0, -1).join('.') || 'self'
      outline.references.push({ name: '*', module, original: '*', isPassedOn })
    } else if (last === 'self' || (parts.length === 1 && name === last)) {
      const module = (last === 'self' ? parts.slice(0, -1) : parts).join('.')
      const own = name === 'self' ? parts.at(-2) : name
      if (own) outline.references.push({ name: own, module, original: null, isPassedOn })
    } else {
      const module = parts.slice(0, -1).join('.') || 'self'
      outline.references.push({ name, module, original: last, isPassedOn })
    }
  }
}

/** A path in a `use` tree and the introduced name. */
type Leaf = { path: string[]; name: string }

/** Larger trees are truncated. */
const mostLeaves = 5000

function leavesOf(code: string): Leaf[] {
  const leaves: Leaf[] = []
  const prefixes: string[][] = []
  let prefix: string[] = []
  let word = ''
  const take = () => {
    const [, written = '', alias] =
      /^\s*(\S*)(?:\s+as\s+(\S+))?\s*$/.exec(word.slice(0, 1000)) ?? []
    word = ''
    if (written === '' || leaves.length >= mostLeaves) return
    const own = written.replace(/^r#/, '').split('::')
    leaves.push({ path: [...prefix, ...own], name: alias ?? own.at(-1)! })
  }
  for (const char of code) {
    if (char === '{') {
      prefixes.push(prefix)
      if (prefixes.length <= mostPrefixes) prefix = [...prefix, ...word.trim().split('::')]
      word = ''
    } else if (char === ',' || char === '}') {
      take()
      if (char === '}') prefix = prefixes.pop() ?? []
    } else word += char
  }
  take()
  return leaves
}

const mostPrefixes = 50
