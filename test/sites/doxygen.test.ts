import { expect, test } from 'bun:test'
import { doxygen } from '../../src/sites/doxygen.ts'
import { siteOf, type SiteSource } from '../support/page/site-pages.ts'

const source = (text: string): SiteSource => ({
  generator: 'doxygen',
  config: 'docs/Doxyfile.in',
  root: 'docs',
  files: { 'docs/Doxyfile.in': text },
})

test('is recognised by its configuration or the template of it', () => {
  expect(
    ['Doxyfile', 'a/Doxyfile.in', 'a/b.doxyfile', 'Doxyfile-html'].map(doxygen.rootOf),
  ).toEqual(['', 'a', 'a', ''])
  expect(['a/Doxyfiles', 'index.md'].map(doxygen.rootOf)).toEqual([null, null])
})

test('reads folders and aliases', async () => {
  const site = await siteOf(
    source(
      'PROJECT_NAME = Lamp # x\nINPUT = pages ../src \\\n  main.md\nEXAMPLE_PATH = @TOP@/examples\n' +
        'ALIASES = "os=__OS:__" \\\n  "two{2}=\\1 \\2"\nALIASES += safe="@par Safe^^"\n',
    ),
  )
  expect(site.folders).toEqual(['docs', 'docs/pages', 'src'])
  expect(site.bases).toContain('examples')
  expect(site.variables).toEqual(
    new Map([
      ['alias:os', '__OS:__'],
      ['alias:two{2}', '\\1 \\2'],
      ['alias:safe', '@par Safe^^'],
    ]),
  )
})

test('describes no site without the settings of Doxygen', async () => {
  await expect(siteOf(source('# Notes\n'))).rejects.toThrow('describes no site')
})
