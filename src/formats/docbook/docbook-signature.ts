import { oneLine } from '../../platform/text/trim.ts'
import { wordSet } from '../../document/word-set.ts'
import {
  childElements,
  findChild,
  isElement,
  textContent,
  type DocbookElement,
} from './docbook-tree.ts'

/** Elements with the syntax of a command, function or class. */
export const signatureElements = wordSet(`
  cmdsynopsis methodsynopsis constructorsynopsis destructorsynopsis fieldsynopsis funcprototype
  classsynopsis classsynopsisinfo enumsynopsis packagesynopsis
`)

/** Writes a synopsis as one or more lines of code. */
export function docbookSignature(element: DocbookElement): string {
  const { name } = element
  if (name === 'cmdsynopsis') return oneLine(element.children.map(commandPart).join(' '))
  if (name === 'funcprototype') return prototype(element)
  if (/^(?:method|constructor|destructor)synopsis$/.test(name)) return methodOf(element)
  if (name === 'classsynopsis' || name === 'packagesynopsis') return classOf(element)
  return oneLine(textContent(element))
}

const own = (element: DocbookElement, ...names: string[]) =>
  childElements(element)
    .filter(({ name }) => names.includes(name))
    .map(typeText)
    .join(' ')

/** Returns the text of a type. The types of a union are separated by `|`. */
function typeText(element: DocbookElement): string {
  const types = childElements(element).filter(({ name }) => name === 'type')
  if (element.name === 'type' && types.length > 0) {
    return types.map(typeText).join(element.attributes.class === 'intersection' ? '&' : '|')
  }
  return oneLine(textContent(element))
}

function methodOf(element: DocbookElement): string {
  const parameters = childElements(element)
    .filter(({ name }) => name === 'methodparam')
    .map(parameterOf)
  const words = [own(element, 'modifier'), own(element, 'methodname')].filter(Boolean).join(' ')
  const result = own(element, 'type')
  return `${words}(${parameters.join(', ')})${result === '' ? '' : `: ${result}`}`
}

function parameterOf(element: DocbookElement): string {
  const { rep, choice } = element.attributes
  const name = own(element, 'parameter')
  const type = own(element, 'modifier', 'type')
  const initial = own(element, 'initializer')
  const code = `${type === '' ? '' : `${type} `}${rep === 'repeat' ? '...' : ''}${name}`
  if (initial !== '') return `${code} = ${initial}`
  return choice === 'opt' && rep !== 'repeat' ? `[${code}]` : code
}

function prototype(element: DocbookElement): string {
  const definition = findChild(element, 'funcdef')
  const parameters = childElements(element)
    .filter(({ name }) => name === 'paramdef')
    .map((parameter) => oneLine(textContent(parameter)))
  return `${definition ? oneLine(textContent(definition)) : ''}(${parameters.join(', ')})`
}

function classOf(element: DocbookElement): string {
  const header = childElements(element)
    .filter(({ name }) => /^oo(?:class|interface|exception)$/.test(name))
    .map((part) => oneLine(textContent(part)))
  const members = childElements(element)
    .filter(({ name }) => name !== 'classsynopsis' && signatureElements.has(name))
    .map((member) => `  ${docbookSignature(member)}`)
  return [`class ${header.join(', ')} {`, ...members, '}'].join('\n')
}

/** Returns a part of a command line, such as `[file]` if optional, or `on | off` for a choice. */
function commandPart(node: DocbookElement | string): string {
  if (!isElement(node)) return node
  const { name, attributes } = node
  if (name === 'sbr') return ' '
  if (name !== 'arg' && name !== 'group') return textContent(node)
  const parts = node.children.map(commandPart).map(oneLine)
  const inner = parts.filter((part) => part !== '').join(name === 'group' ? ' | ' : ' ')
  const repeated = `${inner}${attributes.rep === 'repeat' ? ' ...' : ''}`
  const { choice = 'opt' } = attributes
  if (choice === 'opt') return `[${repeated}]`
  return choice === 'req' && name === 'group' ? `{${repeated}}` : repeated
}
