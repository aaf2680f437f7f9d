import { expect, test } from 'bun:test'
import { expandIncludes } from '../../../src/page/include/include.ts'

const files: Record<string, string> = {
  'x.py': 'a\n# tag::one[]\nb\n# end::one[]\n',
  'docs/part.adoc': '== A\n',
}

async function check(text: string, expected: string): Promise<void> {
  const included = { from: 'docs/page.adoc', read: async (path: string) => files[path] ?? null }
  expect(await expandIncludes(text, { files: included, dialect: 'asciidoc' })).toBe(expected)
}

test('replaces include:: with lines and tags, and keeps includes of missing files', async () => {
  await check('----\ninclude::{source}/x.py[tag=one]\n----', '----\nb\n----')
  await check('include::../x.py[lines=1]', 'a')
  await check('include::part.adoc[]', '== A')
  await check('include::gone.adoc[]', 'include::gone.adoc[]')
})
