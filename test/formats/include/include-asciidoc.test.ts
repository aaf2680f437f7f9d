import { expect, test } from 'bun:test'
import { expandIncludes } from '../../../src/references/include.ts'

const files: Record<string, string> = {
  'x.py': 'a\n# tag::one[]\nb\n# end::one[]\n',
  'y.py': '# tag::a[]\na\n# tag::b[]\nb\n# end::b[]\nc\n# end::a[]\nd\n',
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

test('shows the lines of several tags in the order of the file', async () => {
  await check('include::../y.py[tags="b,none"]', 'b')
  await check('include::../y.py[tags=b;a,indent=0]', 'a\nb\nc')
})
