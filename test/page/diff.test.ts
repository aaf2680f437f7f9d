import { expect, test } from 'bun:test'
import { diffSections, splitSections } from '../../src/page/diff.ts'

const page = (text: string) => ({ text, markup: 'markdown' as const })

/** Compares changes as lines: `+ heading` is added, `- heading` removed, `~ heading` changed. */
function check(before: string, after: string, expected: string[]): void {
  const shown = diffSections(page(before), page(after)).map((change) => {
    const kind = change.before === null ? '+' : change.after === null ? '-' : '~'
    return `${kind} ${change.heading}`
  })
  expect(shown).toEqual(expected)
}

const guide = '# Guide\n\nIntro.\n\n## One\n\nFirst.\n\n## Two\n\nSecond.\n'

test('reports no changes for an equal page or for different blank lines', () => {
  check(guide, guide, [])
  check(guide, `${guide.replace('## Two', '\n## Two')}\n\n`, [])
  check('', '', [])
})

test('reports added, changed and removed sections in page order', () => {
  check(guide, guide.replace('First.', 'Other.'), ['~ Guide > One'])
  check(guide, `${guide}\n## Three\n\nThird.\n`, ['+ Guide > Three'])
  check(guide, guide.replace('## One\n\nFirst.\n\n', ''), ['- Guide > One'])
  check(guide, guide.replace('## One', '## Uno'), ['+ Guide > Uno', '- Guide > One'])
})

test('compares the text of a section without its subsections', () => {
  check(guide, guide.replace('Intro.', 'Beginning.'), ['~ Guide'])
  check(guide, guide.replace('# Guide', '# Manual'), [
    '+ Manual',
    '+ Manual > One',
    '+ Manual > Two',
    '- Guide',
    '- Guide > One',
    '- Guide > Two',
  ])
})

test('treats text above the first heading as a section without a name', () => {
  check('Alone.', 'Changed.', ['~ '])
  check(guide, `Note.\n\n${guide}`, ['+ '])
})

test('pairs sections with the same heading if their texts are equal', () => {
  const twice = '# A\n\n## Example\n\none\n\n## Example\n\ntwo\n'
  check(twice, twice.replace('## Example\n\none\n\n', ''), ['- A > Example'])
  check(twice, twice.replace('two', 'three'), ['~ A > Example'])
  check(twice, '# A\n\n## Example\n\ntwo\n\n## Example\n\none\n', [])
})

test("returns the section's text before and after the change", () => {
  expect(diffSections(page('# A\n\nx\n\n## B\n\ny\n'), page('# A\n\nz\n'))).toEqual([
    { heading: 'A', before: '# A\n\nx', after: '# A\n\nz' },
    { heading: 'A > B', before: '## B\n\ny', after: null },
  ])
})

test('ignores headings in code', () => {
  expect(splitSections(page('# A\n\n```sh\n# comment\n```\n'))).toEqual([
    { heading: 'A', text: '# A\n\n```sh\n# comment\n```' },
  ])
})

test('pairs equal sections in order', () => {
  const page = (n: number, last: string) =>
    ({ text: `${'# a\n\nb\n\n'.repeat(n)}# a\n\n${last}\n`, markup: 'markdown' }) as const
  expect(diffSections(page(3, 'c'), page(3, 'd'))).toEqual([
    { heading: 'a', before: '# a\n\nc', after: '# a\n\nd' },
  ])
  expect(
    diffSections(page(1, 'c'), page(2, 'd')).map(({ before, after }) => [before, after]),
  ).toEqual([
    ['# a\n\nc', '# a\n\nb'],
    [null, '# a\n\nd'],
  ])
})
