import { expect, test } from 'bun:test'
import { partialMatcher } from '../../src/sites/generators.ts'
import { siteOf, siteText, type SiteSource } from '../support/page/site-pages.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

const source: SiteSource = {
  generator: 'sphinx',
  config: 'docs/conf.py',
  root: 'docs',
  files: {
    'docs/conf.py': `import os
extensions = ["sphinx.ext.extlinks"]
templates_path = ["shapes", ""]
exclude_patterns = ['_build', "parts/**", os.path.join("a", "b")]
rst_epilog = """
.. |product| replace:: Tool
.. _Site: https://site.org
"""
extlinks = {
    "issue": ("https://example.org/issues/%s", "issue #%s"),
    'user': ('https://example.org/%s', None),
    "pull": ("https://example.org/%s", "PR #"),
}
release = "1.2.3"
raise SystemExit("never run")
`,
    'docs/changes/old.rst': '.. changelog_imports::\n\n    .. include:: older.rst\n\nOld.\n',
    'docs/changes/older.rst': `${'Much text.\n'.repeat(100)}`,
  },
}

const shown = (text: string) => siteText(source, text, 'docs/page.rst')

test('reads excluded files and folders of templates from the configuration', async () => {
  const site = await siteOf(source)
  const matches = partialMatcher(site)
  const isPartial = (path: string) => matches(`docs/${path}`)
  const partials = ['_build/x.rst', 'parts/a/b.rst', 'shapes/x.html', '_themes/a/x.html']
  expect(partials.every(isPartial)).toBe(true)
  expect(['index.rst', 'x/_build.rst'].some(isPartial)).toBe(false)
})

test('ignores a conf.py that belongs to another program', async () => {
  const files = { 'docs/conf.py': 'threads = 4\n' }
  await expect(siteOf({ ...source, files })).rejects.toThrow('no site')
})

test('replaces the substitutions and external links that the configuration defines', async () => {
  expect(
    (await shown('|product| fixed :issue:`12` by :user:`ann` (:issue:`a bug <13>`).\n')).trim(),
  ).toBe('Tool fixed issue #12 by ann (a bug).')
})

test('includes a file but not the files that changelog_imports reads', async () => {
  const text = await shown('.. include:: changes/old.rst\n\nEnd.\n')
  expect(text.replace(/\n+/g, '|')).toBe('Old.|End.|')
})

test('reports the missing file of a literalinclude', async () => {
  expect(await shown('.. literalinclude:: gone.py\n   :lines: 1-2\n\nEnd.\n')).toContain(
    '(The source lacks the file gone.py, which the site shows here.)\n\nEnd.',
  )
})

test('takes time proportional to the length of the page', async () => {
  for (const piece of [':a:`', ':issue:`x ', '|product| ', '`<']) {
    const started = usedCpuMs()
    await shown(`${piece.repeat(30_000)}\n`)
    expect(usedCpuMs() - started).toBeLessThan(2000)
  }
})

test('removes the comments and cell marks of MyST', async () => {
  const text = '# A\n\n% b\n+++ {"c": 1}\n\nd\n\n```python\n% e\n```\n'
  const page = await siteText(source, text, 'docs/page.md')
  expect(page.replace(/\n{3,}/g, '\n\n').trim()).toBe('# A\n\nd\n\n```python\n% e\n```')
})

test('removes the short names of modules that the configuration declares', async () => {
  const config = 'extensions = []\nz_module_prefixes = {\n  "_orm": "x.orm",\n}\n'
  const text = 'See :class:`_orm.Session`, :meth:`~_orm.Session.add` and :class:`_x.Y`.\n'
  const site = { ...source, files: { 'docs/conf.py': config } }
  expect(await siteText(site, text, 'docs/page.rst')).toBe('See `Session`, `add` and `_x.Y`.\n')
})

test('reads the release, targets of the epilog and captions without a placeholder', async () => {
  const text = 'A |release| |version|, Site_, :pull:`7`, :guilabel:`&Open`, anonymous__.\n'
  expect(await shown(text)).toBe(
    'A 1.2.3 |version|, [Site](https://site.org), PR #7, Open, anonymous.\n',
  )
})

test('fills the substitutions of MyST, and removes the attributes of blocks', async () => {
  const config = 'extensions = []\nmyst_substitutions = {\n    "tool": "Kettle",\n}\n'
  const site = { ...source, files: { 'docs/conf.py': config } }
  const text =
    '---\nmyst:\n  substitutions:\n    lid: the Lid\n---\n{.big #x}\n{{ tool }}, {{lid}}, {{ no }}, `{{ tool }}`\n'
  expect((await siteText(site, text, 'docs/page.md')).trim()).toBe(
    'Kettle, the Lid, {{ no }}, `{{ tool }}`',
  )
})
