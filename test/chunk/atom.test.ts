import { expect, test } from 'bun:test'
import {
  splitIntoAtoms,
  splitToFit,
  splitLinesIntoAtoms,
  type AtomContext,
} from '../../src/chunk/fill.ts'
import { splitIntoBlocks } from '../../src/chunk/block.ts'
import type { ChunkBudget } from '../../src/chunk/budget.ts'
import { indexLines } from '../../src/chunk/line.ts'
import { countWords } from '../support/count-words.ts'

const place = { path: [], prefix: '' }

function contextOf(text: string, more: Partial<ChunkBudget> = {}): AtomContext {
  const budget = {
    text,
    title: '',
    path: 'lamp.md',
    chunkChars: 20,
    wholeChars: 25,
    maxTokens: 512,
    countTokens: countWords,
    ...more,
  }
  return { budget, place, lines: indexLines(text) }
}

const atoms = (text: string, more?: Partial<ChunkBudget>) => {
  const setting = contextOf(text, more)
  const to = setting.lines.count
  return splitIntoAtoms(setting, splitIntoBlocks(setting.lines, { from: 0, to }))
}

/**
 * Checks the kind and content of each atom, and that the atoms together form the whole text.
 */
function check(name: string, text: string, expected: string[]) {
  test(name, () => {
    const cut = atoms(text)
    const shown = cut.map(
      ({ kind, content }) => `${kind}: ${text.slice(content.start, content.end)}`,
    )
    expect(shown).toEqual(expected)
    expect(cut.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
  })
}

check('keeps a block that fits as one atom', '\nOne two.\n\n\nThree.\n', [
  'paragraph: One two.',
  'paragraph: Three.',
])
check(
  'keeps a fence whole up to wholeChars, but a paragraph only up to chunkChars',
  '```\nabcdef\nabcdef\n```\n\nOne two.\nThree four five.',
  ['fence: ```\nabcdef\nabcdef\n```', 'paragraph: One two.', 'paragraph: Three four five.'],
)
check('cuts a longer table between its lines', '| a | b |\n|---|---|\n| c | d |\n', [
  'table: | a | b |',
  'table: |---|---|',
  'table: | c | d |',
])
check(
  'cuts a long list between its items, not within them',
  '- first item\n- second item\n- third\n',
  ['item: - first item', 'item: - second item', 'item: - third'],
)
check('cuts a block without parts between its lines', 'one line here\ntwo line here\n', [
  'paragraph: one line here',
  'paragraph: two line here',
])

test('ignores whitespace at the ends of an atom, and detects a colon that introduces the next block', () => {
  const [lead, wide, fence] = atoms('As this:  \n\n如下：\n\n```\na:\n```')
  expect([lead!.tokens, wide!.tokens]).toEqual([countWords('As this:'), countWords('如下：')])
  expect([lead, wide, fence].map((atom) => atom!.endsWithColon)).toEqual([true, true, false])
  expect(lead!.isCounted).toBe(true)
  expect(atoms('```\na:')[0]!.endsWithColon).toBe(false)
})

// A level consists of a list and its item, so 32 levels are 16 items.
test('divides blocks that are nested up to 32 levels deep, and splits deeper ones by lines', () => {
  const text = Array.from({ length: 20 }, (_, i) =>
    [' - side', ' - deep'].map((row) => ' '.repeat(2 * i) + row),
  )
    .flat()
    .join('\n')
  const cut = atoms(text)
  expect(cut.map(({ start, end }) => text.slice(start, end)).join('')).toBe(text)
  expect(cut.map(({ kind }) => kind).join(' ')).toBe(
    `${'item paragraph '.repeat(16)}${'list '.repeat(8)}`.trim(),
  )
})

test('groups lines into atoms of an eighth of a chunk', () => {
  const text = 'word word\n'.repeat(64)
  const setting = contextOf(text, { chunkChars: 320 })
  const sizes = splitLinesIntoAtoms(setting, { start: 0, end: text.length }, 'fence').map(
    ({ start, end, kind }) => `${kind} ${end - start}`,
  )
  expect(sizes).toEqual(Array.from({ length: 16 }, () => 'fence 40'))
})

test('halves a range until its parts fit', () => {
  const parts = (text: string, more: Partial<ChunkBudget>) =>
    splitToFit(contextOf(text, more).budget, place, { start: 0, end: text.length }).map(
      ({ start, end }) => text.slice(start, end),
    )
  expect(parts('one two three four', { chunkChars: 100 })).toEqual(['one two three four'])
  expect(parts('one two three four', { chunkChars: 9 })).toEqual(['one two ', 'three ', 'four'])
  expect(parts('one two six ten', { maxTokens: 4, countTokens: countWords })).toEqual([
    'one two ',
    'six ten',
  ])
  // A chunk of one UTF-16 unit is too small for one code point, which is not cut.
  expect(parts('😀', { chunkChars: 1 })).toEqual(['😀'])
})

test('names the page in the error if not even one character fits into the model', () => {
  const { budget } = contextOf('ab', { maxTokens: 2 })
  expect(() => splitToFit(budget, place, { start: 0, end: 2 })).toThrow(
    expect.objectContaining({
      message: 'Cannot cut page "lamp.md": 2 tokens are too few for one of its characters',
      hint: 'use a model with a longer input',
    }),
  )
})
