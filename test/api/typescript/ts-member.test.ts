import { parser } from '@lezer/javascript'
import { expect, test } from 'bun:test'
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
  expect(calls).toEqual(['(d: 1): 2'])
})
