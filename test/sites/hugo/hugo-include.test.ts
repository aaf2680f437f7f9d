import { expect, test } from 'bun:test'
import { expandIncludes } from '../../../src/references/include.ts'

const files: Record<string, string> = {
  'content/embeds/part.md': '---\ntitle: Part\n---\nEmbedded.\n',
  'content/en/examples/pod.yaml': 'kind: Pod\n',
  'content/en/docs/reference/glossary/pod.md':
    '---\ntitle: Pod\n---\nThe smallest unit.\n<!--more-->\nLonger.\n',
  'content/_includes/note/own.md': 'Own note.\n',
  'content/embeds/shared/all.md': 'Shared.\n',
  'static/tables/t.csv': 'A,B\n1,"x, y"\n',
}

async function check(source: string, expected: string): Promise<void> {
  const site = {
    generator: 'hugo' as const,
    path: 'a.md',
    root: '',
    title: null,
    isShared: false,
    variables: new Map<string, string>(),
    bases: ['content/embeds', 'content/en/examples', 'content/en/docs/reference', 'static/tables'],
  }
  const read = async (path: string) => files[path] ?? null
  const text = await expandIncludes(source, {
    files: { from: 'content/a/b.md', read },
    dialect: 'markdown',
    site,
  })
  expect(text).toBe(expected)
}

test('replaces a shortcode with the text of the file it includes', async () => {
  await check('  {{< embed-md "part.md" >}}\nafter', '  Embedded.\nafter')
  await check('{{% include "part" %}}', 'Embedded.')
  await check('{{% code_sample file="pod.yaml" %}}', '`pod.yaml`\n\n```yaml\nkind: Pod\n```')
  await check('{{< table-csv "t.csv" 2 >}}', '| A | B |\n| --- | --- |\n| 1 | x, y |')
})

test('shows the definition of a term', async () => {
  await check(
    '{{< glossary_definition term_id="pod" length="short" prepend="A Pod is" >}}',
    'A Pod is the smallest unit.',
  )
  await check(
    '{{< glossary_definition term_id="pod" length="all" >}}',
    'The smallest unit.\n\nLonger.',
  )
})

test('reports a missing file, and keeps other shortcodes', async () => {
  await check(
    '{{< readfile file="none.md" >}}',
    '(The source lacks the file none.md, which the site shows here.)',
  )
  await check('see {{< include "part.md" >}}', 'see {{< include "part.md" >}}')
  await check('{{< note "part.md" >}}', '{{< note "part.md" >}}')
})

test('finds a file in an includes folder next to the page or above it', async () => {
  await check('{{% include note/own.md %}}', 'Own note.')
})

test('includes a shared page of a Grafana product', async () => {
  await check('{{< docs/shared source="loki" lookup="all.md" version="1" >}}', 'Shared.')
})
