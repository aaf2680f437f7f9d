import { expect, test } from 'bun:test'
import { code, heading, link, paragraph, strong } from '../../src/document/tree.ts'

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
