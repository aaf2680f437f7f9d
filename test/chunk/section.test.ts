import { expect, test } from 'bun:test'
import { indexLines } from '../../src/chunk/line.ts'
import type { Section } from '../../src/chunk/section.ts'
import { ownBodyEnd, sectionTree } from '../../src/chunk/section.ts'
import { headings } from '../../src/document/headings.ts'

/** Returns each section of a page as its path and own body, outermost first. */
function check(name: string, text: string, expected: string[][]) {
  test(name, () => {
    const root = sectionTree(indexLines(text), headings(text, 'markdown'))
    expect(bodies(text, root)).toEqual(expected)
  })
}

function bodies(text: string, section: Section): string[][] {
  const own = [section.path.join(' > '), text.slice(section.start, ownBodyEnd(section))]
  return [own, ...section.children.flatMap((child) => bodies(text, child))]
}

check('builds only the root without headings', 'a', [['', 'a']])
check('ends a section at the next heading of its level or above', '# A\na\n## B\nb\n# C\n', [
  ['', ''],
  ['A', '# A\na\n'],
  ['A > B', '## B\nb\n'],
  ['C', '# C\n'],
])
check('accepts skipped levels', '### A\n# B\n#### C\n## D\n', [
  ['', ''],
  ['A', '### A\n'],
  ['B', '# B\n'],
  ['B > C', '#### C\n'],
  ['B > D', '## D\n'],
])
check('joins labels with the heading below', 'a\n\n(b)=\n\n<a id="c"></a>\n\n# D\n(e)=\n# F\n', [
  ['', 'a\n\n'],
  ['D', '(b)=\n\n<a id="c"></a>\n\n# D\n'],
  ['F', '(e)=\n# F\n'],
])
