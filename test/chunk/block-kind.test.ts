import { expect, test } from 'bun:test'
import {
  endOfFirstParagraph,
  blockAt,
  isListItem,
  endOfLineOrFence,
} from '../../src/chunk/block-kind.ts'
import { enclosedBlock, interruptsParagraph } from '../../src/chunk/enclosed-block.ts'
import { indexLines } from '../../src/chunk/line.ts'
import type { BlockScan } from '../../src/chunk/scan.ts'

function scanOf(text: string): BlockScan {
  const lines = indexLines(text)
  return { lines, to: lines.count, base: 0 }
}

/** Checks the kind of the first block and its number of lines. */
function check(text: string, expected: string): void {
  const { kind, to } = blockAt(scanOf(text), 0)
  expect(`${kind} ${to}`).toBe(expected)
}

test('ends a fence at a marker of the same length, or at the end of the text', () => {
  check('````\n```\na\n````\nb', 'fence 4')
  check('~~~\na', 'fence 2')
  check('``` a ` b\nc', 'paragraph 2')
})

test('nests containers, and keeps indented lines in admonitions', () => {
  check('::: tip\n::: note\na\n:::\nb\n:::\nc', 'container 6')
  check('!!! note\n    a\n\n    b\nc', 'container 4')
  check('/// tab\na', 'container 2')
})

test('treats an HTML comment as silent, a table as a table, and most other tags as text', () => {
  check('<!-- a\nb -->\nc', 'silent 2')
  check('<table>\n<tr>\n</TABLE>\nc', 'table 3')
  check('<pre>\na\nb', 'fence 3')
  check('<div>\na\n\nb', 'paragraph 2')
})

test('requires a delimiter row in tables', () => {
  check('| a |\n|---|\n| b |\n\nc', 'table 3')
  check('| a |\n| b |', 'paragraph 2')
})

test('continues a list over indented lines, and ends it at a paragraph after a blank line', () => {
  check('- a\n  b\n\n  c\n- d\n\ne', 'list 6')
  check('1. a\nlazy\n2) b\n```\nc\n```', 'list 3')
  check('-no\nb', 'paragraph 2')
  expect(isListItem(indexLines('- \n'), 0)).toBe(false)
  expect(endOfFirstParagraph(indexLines('- a\n  b\n  - c\n'), { from: 0, to: 3 })).toBe(2)
  expect(endOfLineOrFence(scanOf('```\n- a\n```\nb'), 0)).toBe(3)
})

test('recognises lines that end a paragraph without a blank line', () => {
  check('a\n```\nb\n```', 'paragraph 1')
  check('a\n- b', 'paragraph 1')
  check('    a\n\n    b\nc', 'indented 3')
  const scan = scanOf('a\n::: tip')
  expect([interruptsParagraph(scan, 0), interruptsParagraph(scan, 1)]).toEqual([false, true])
  expect(enclosedBlock(scan, { line: 0, head: 'a' })).toBeNull()
})
