import { expect, test } from 'bun:test'
import { rmarkdown } from '../../../src/page/generator/rmarkdown.ts'
import { siteOf, siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'rmarkdown',
  config: 'DESCRIPTION',
  files: { DESCRIPTION: 'Package: lamp\nTitle: Lamps\n', 'vignettes/part.Rmd': 'A part.\n' },
}
const check = async (text: string, expected: string) =>
  expect((await siteText(source, text, 'vignettes/a.Rmd')).trim()).toBe(expected)

test('recognises R packages and books', async () => {
  expect(['DESCRIPTION', 'a/_bookdown.yml'].map(rmarkdown.rootOf)).toEqual(['', 'a'])
  expect(rmarkdown.rootOf('a/DESCRIPTION.md')).toBeNull()
  const files = { '_bookdown.yml': 'rmd_files:\n  - "index.Rmd"\n  - use/b.Rmd\n' }
  const book = await siteOf({ ...source, config: '_bookdown.yml', files })
  expect(book.order).toEqual(['index.Rmd', 'use/b.Rmd'])
  const other = siteOf({ ...source, files: { DESCRIPTION: 'A lamp.\n' } })
  await expect(other).rejects.toThrow('describes no site')
})

test('shows cells as code, and removes cells that are run without being shown', async () => {
  await check('```{r name, fig.width = 4}\nf(x)\n```', '```r\nf(x)\n```')
  await check('```{r setup, include = FALSE}\nf(x)\n```\n\nText', 'Text')
  await check('```{r}\n#| include: false\nf(x)\n```\n\nText', 'Text')
  await check('See \\@ref(use), `\\@ref(a)`.', 'See use, `\\@ref(a)`.')
  await check('```r\n\\@ref(a)\n```', '```r\n\\@ref(a)\n```')
  const shown = '````md\n```{r, include = FALSE}\nx\n```\n````'
  await check(shown, shown)
  await check('Text\n\n```{r, include = FALSE}\nx', 'Text\n\n```r\nx')
})

test('includes the file of a cell', () =>
  check('```{r, child = "part.Rmd"}\n```\n\nEnd', 'A part.\n\n\nEnd'))
