import { expect, test } from 'bun:test'
import {
  correctionMark,
  parseEntries,
  renderEntry,
  supersessionMark,
  validityMark,
} from '../../src/memory/entry.ts'

/** Expects entries as `lines heading [tags] body`. */
function check(text: string, expected: string[], options: { day?: string } = {}) {
  const entries = parseEntries(text, options)
  const shown = entries.map(
    ({ startLine, endLine, heading, tags, body }) =>
      `${startLine}-${endLine} ${heading} [${tags}] ${body.replaceAll('\n', '|')}`,
  )
  expect(shown).toEqual(expected)
  for (const { start, end, text: own } of entries) expect(text.slice(start, end)).toBe(own)
}

test('weakness 26: parses six facts as six entries', () => {
  const facts = ['ant', 'bee', 'cat', 'dog', 'elk', 'fox']
  const text =
    '# Memory\n' + facts.map((fact, i) => renderEntry(`2026-01-0${i + 1} 10:00`, fact)).join('')
  check(
    text,
    facts.map((fact, i) => `${3 + 4 * i}-${5 + 4 * i} 2026-01-0${i + 1} 10:00 [] ${fact}`),
  )
})

test('weakness 27: tag lines, fences and shebangs are not headings', () => {
  const body = '```sh\n#!/bin/sh\n## not a heading\n```\n#pref stays'
  const text = renderEntry('2026-01-01 10:00', body, { tags: ['a', 'b-c'] })
  check(text, ['2-9 2026-01-01 10:00 [a,b-c] ```sh|#!/bin/sh|## not a heading|```|#pref stays'])
  check('#pref\ntea\n', ['1-2  [pref] tea'])
})

test('weakness 28: counts lines correctly after a long line', () => {
  check(`## a\n${'x'.repeat(9000)}\n\n## b\nc\n`, [`1-2 a [] ${'x'.repeat(9000)}`, '4-5 b [] c'])
})

test('treats paragraphs of hand-written files as entries under their title', () => {
  check('# Work\n\none\ntwo\n\n- three\n\n## Home\nfour\n\nfive\n### Deep\nsix\n# Other\nseven', [
    '3-4 Work [] one|two',
    '6-6 Work [] - three',
    '8-13 Home [] four||five|### Deep|six',
    '15-15 Other [] seven',
  ])
  check('# T\n\n### a\nb\n### c\n#### d\ne', ['3-4 a [] b', '5-7 c [] #### d|e'])
})

test('finds no entries in an empty file', () => {
  check('', [])
  check('\n \n# Memory\n', [])
  check('## alone', ['1-1 alone [] '])
})

test('parses an appended entry even after an unclosed fence', () => {
  const open = renderEntry('2026-01-01 10:00', '```\nopen')
  const next = renderEntry('2026-01-02 11:00', 'next')
  const whole = parseEntries(open + next)
  expect(whole.map((entry) => entry.body)).toEqual(['```\nopen', 'next'])
  expect(whole[1]!.id).toBe(parseEntries(next)[0]!.id)
})

test('dates an entry by its heading, or the nearest one above', () => {
  const dates = (text: string, options?: { day: string }) =>
    parseEntries(text, options).map(({ date, time }) => `${date} ${time}`)
  expect(dates('## 2026-01-02 03:04\na\n## Sub\nb\n## 2026-13-01\nc')).toEqual([
    '2026-01-02 03:04',
    '2026-01-02 null',
    '2026-01-02 null',
  ])
  expect(dates('# Daily Log - 2026-01-02\n\n## 09:30\na', { day: '2026-01-02' })).toEqual([
    '2026-01-02 09:30',
  ])
  expect(dates('plain')).toEqual(['null null'])
})

test('accepts CRLF and a last line without newline', () => {
  check('## a\r\n\r\n#t\r\nb\r\nc', ['1-5 a [t] b|c'])
})

test('reads which entry a correction refers to', () => {
  const [old] = parseEntries(renderEntry('2026-01-01 10:00', 'Bob is 40'))
  const mark = correctionMark(old!.id)
  const text = renderEntry('2026-01-02 10:00', 'Bob is 41', { tags: ['t'], marks: [mark] })
  const [entry] = parseEntries(text)
  expect(entry).toMatchObject({ corrects: [old!.id], body: 'Bob is 41', tags: ['t'] })
})

test('reads which entry is superseded by another, and when an entry is valid', () => {
  const marks = [supersessionMark('aaaaaaaaaaaa'), validityMark('2026-01-01', '2026-02-01')]
  const [entry] = parseEntries(renderEntry('2026-01-02 10:00', 'frozen', { marks }))
  expect(entry).toMatchObject({
    corrects: ['aaaaaaaaaaaa'],
    supersedes: ['aaaaaaaaaaaa'],
    validFrom: '2026-01-01',
    validUntil: '2026-02-01',
    body: 'frozen',
  })
  const until = parseEntries(renderEntry('a', 'b', { marks: [validityMark(null, '2026-02-01')] }))
  expect(until[0]).toMatchObject({ validFrom: null, validUntil: '2026-02-01', body: 'b' })
  expect(validityMark(null, null)).toBe('')
  for (const text of ['<!-- valid -->', '<!-- valid until 2026-02-31 -->', '<!-- valid soon -->']) {
    const [odd] = parseEntries(renderEntry('a', `b\n${text}`))
    expect(odd).toMatchObject({ validFrom: null, validUntil: null, body: `b\n${text}` })
  }
})

test("renders an entry in upstream's format", () => {
  expect(renderEntry('10:00', ' b \n', { tags: ['x', 'y'] })).toBe('\n## 10:00\n\n#x #y\nb\n')
})
