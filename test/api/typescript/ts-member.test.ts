import { parser } from '@lezer/javascript'
import { expect, test } from 'bun:test'
import { outlineTypeScript } from '../../../src/api/typescript/typescript.ts'
import { childrenWithComments } from '../../../src/api/typescript/ts-comment.ts'
import { memberSymbols } from '../../../src/api/typescript/ts-member.ts'

const text =
  'interface A {\n  /** In mm. */\n  b: 1; // no\n  /* plain */\n  c(): void\n  (d: 1): 2\n}'
const body = parser
  .configure({ dialect: 'ts' })
  .parse(text)
  .topNode.firstChild!.getChild('ObjectType')!
const file = {
  textOf: ({ from, to }: { from: number; to: number }) => text.slice(from, to),
  lineOf: (offset: number) => text.slice(0, offset).split('\n').length,
}

test('assigns the comment above a member to that member', () => {
  const texts = childrenWithComments(body, file)
    .filter(({ node }) => node.name.endsWith('Type'))
    .map(({ comment }) => comment?.text ?? null)
  expect(texts).toEqual(['In mm.', null])
})

test('separates members from call signatures', () => {
  const { members, calls } = memberSymbols(body, file, '')
  expect(members.map(({ kind, name, line }) => [kind, name, line])).toEqual([
    ['value', 'b', 3],
    ['method', 'c', 5],
  ])
  expect(calls.map(({ signature }) => signature)).toEqual(['(d: 1): 2'])
})

test('reads quoted, numeric, computed and indexed members', () => {
  const { symbols } = outlineTypeScript(
    `interface A {
  /** a */ 'max-age'?: number;
  /** b */ 0: string;
  /** c */ [Symbol.iterator](): B;
  /** d */ [key: string]: unknown
}`,
  )
  expect(symbols[0]!.members.map(({ name, documentation }) => [name, documentation])).toEqual([
    ['max-age', 'a'],
    ['0', 'b'],
    ['[Symbol.iterator]', 'c'],
    ['[key: string]', 'd'],
  ])
})

test('documents constructors, their parameters and the properties that these declare', () => {
  const { symbols } = outlineTypeScript(
    `/** Lights. */
export class Lamp {
  /** Fills it. */
  constructor(/** Burns. */ readonly oil: string, private mm = 1) {}
}`,
  )
  const [{ documentation, members }] = symbols as [(typeof symbols)[0]]
  expect(documentation).toBe(
    'Lights.\n\n**`new Lamp(readonly oil: string, private mm = 1)`**\n\nFills it.\n\n' +
      '**Parameters**\n\n- `oil`: Burns.',
  )
  expect(members.map((it) => [it.name, it.signature, it.documentation])).toEqual([
    ['oil', 'readonly oil: string', 'Burns.'],
  ])
})

test('keeps each distinct comment of overloads and of call signatures', () => {
  const { symbols } = outlineTypeScript(
    `/** One. */
declare function a(b: 1): void
/** Two. */
declare function a(b: 2): void
interface C {
  /** Three. */
  (d: 3): void
  /** Four. */
  new (d: 4): C
  /** Five. */
  e(): void
  /** Six. */
  e(f: 6): void
}`,
  )
  expect(symbols.map(({ documentation }) => documentation)).toEqual([
    'One.\n\n**`a(b: 2)`**\n\nTwo.',
    'Three.\n\n**`new(d: 4)`**\n\nFour.',
  ])
  expect(symbols[1]!.members[0]!.documentation).toBe('Five.\n\n**`e(f: 6)`**\n\nSix.')
})
