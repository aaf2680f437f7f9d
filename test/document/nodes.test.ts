import { heading, code, strong, link, paragraph } from '../../src/document/nodes.ts'
import { expect, test } from 'bun:test'

test('builds nodes as plain data', () => {
  const words = [strong('a'), link('b.md')]
  expect(JSON.parse(JSON.stringify([heading(2, words), paragraph(...words), code('c')]))).toEqual([
    {
      type: 'heading',
      depth: 2,
      children: [
        { type: 'strong', children: ['a'] },
        { type: 'link', url: 'b.md', children: [] },
      ],
    },
    {
      type: 'paragraph',
      children: [
        { type: 'strong', children: ['a'] },
        { type: 'link', url: 'b.md', children: [] },
      ],
    },
    { type: 'code', lang: '', value: 'c' },
  ])
})
