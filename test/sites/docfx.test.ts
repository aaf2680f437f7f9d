import { expect, test } from 'bun:test'
import { partialMatcher } from '../../src/sites/generators.ts'
import { siteOf, siteText, type SiteSource } from '../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'docfx',
  config: 'docs/docfx.json',
  root: 'docs',
  files: {
    'docs/docfx.json': `{
  // comments are allowed
  "build": { "content": [{ "files": ["**.md"], "exclude": ["drafts/**"] }] },
}`,
    'docs/toc.yml': `- name: Start
  href: index.md
- name: Core
  href: core/toc.yml
  items:
  - name: Keys
    href: core/keys.md?tabs=x
`,
    'docs/core/toc.yml': 'items:\n- name: Queries\n  href: queries.md\n',
    'samples/Keys.cs': `class Keys
{
    #region Whole
    void Run()
    {
        // <Inner>
        var x = 1;
        // </Inner>
    }
    #endregion
    int after;
}
`,
    'samples/app.xml': '<a>\n  <!-- <part> -->\n  <b/>\n  <!-- </part> -->\n</a>\n',
    'docs/includes/note.md': '---\ntitle: x\n---\n\nShared **note**\nwith two lines.\n',
  },
}

const shown = (text: string) => siteText(source, text, 'docs/core/keys.md')

test('reads the titles of nested tables of contents, and excluded files', async () => {
  const site = await siteOf(source)
  expect([...site.titles]).toEqual([
    ['docs/index.md', 'Start'],
    ['docs/core/keys.md', 'Keys'],
    ['docs/core/queries.md', 'Queries'],
  ])
  const matches = partialMatcher(site)
  const isPartial = (path: string) => matches(`docs/${path}`)
  expect(['includes/a.md', 'x/includes/y/a.md', 'drafts/a.md'].every(isPartial)).toBe(true)
  expect(isPartial('core/keys.md')).toBe(false)
})

test('includes a named code region in any notation, without the markers of other regions', async () => {
  const code = 'void Run()\n{\n    var x = 1;\n}'
  for (const part of ['#Whole', '?name=Whole&highlight=2', '?name=whole']) {
    expect(await shown(`[!code-csharp[Main](../../samples/Keys.cs${part})]\n`)).toBe(
      `\`\`\`csharp\n${code}\n\`\`\`\n`,
    )
  }
  expect(await shown('[!code-csharp[](~/../samples/Keys.cs?name=inner)]\n')).toContain('var x = 1')
})

test('includes line ranges and XML snippets', async () => {
  expect(await shown('  [!code[](../../samples/Keys.cs?range=1-2,12)]\n')).toBe(
    '  ```csharp\n  class Keys\n  {\n  }\n  ```\n',
  )
  expect(await shown('[!code-xml[](../../samples/app.xml#part)]\n')).toBe('```xml\n<b/>\n```\n')
  const triple = ':::code language="csharp" source="../../samples/Keys.cs" range="7":::\n'
  expect(await shown(triple)).toBe('```csharp\nvar x = 1;\n```\n')
})

test('reports the file of a missing snippet', async () => {
  expect(await shown('[!code-csharp[](../../samples/Keys.cs#gone)]\n')).toBe(
    '(The file ../../samples/Keys.cs lacks the part that the site shows here.)\n',
  )
})

test('includes a file within a line, without its front matter', async () => {
  expect(await shown('> [!INCLUDE [a note](../includes/note.md)] End.\n')).toBe(
    '> Shared **note**\n> with two lines. End.\n',
  )
})
