import { expect, test } from 'bun:test'
import { docfxToMarkdown } from '../../src/sites/docfx.ts'
import { toPlainMarkdown } from '../../src/formats/markdown/markdown-text.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

const shown = (text: string) => toPlainMarkdown(docfxToMarkdown(text)).replace(/\t$/gm, '')

test('shows tabs with their labels, up to the rule that ends the tabs', () => {
  const text =
    '## [.NET CLI](#tab/cli)\n\nrun a\n\n## [PowerShell](#tab/ps)\n\nrun b\n\n***\n\nAfter\n'
  expect(shown(text).replace(/\n+/g, '|')).toBe('.NET CLI:|run a|PowerShell:|run b|After|')
})

test('ends tabs at a higher-level heading and at the end of the page', () => {
  const text = '### [A](#tab/a)\n\nx\n\n## Next\n\ny\n\n### [B](#tab/b)\n\nz\n'
  expect(shown(text).replace(/\n+/g, '|')).toBe('A:|x|## Next|y|B:|z|')
})

test('shows references by name or label', () => {
  const names: [string, string][] = [
    ['<xref:System.String>', '`String`'],
    ['<xref:A.B.Item.Run*?displayProperty=nameWithType>', '`Item.Run`'],
    ['<xref:A.List`1.Add(System.Int32)?displayProperty=fullName>', '`A.List.Add`'],
    ['<xref:core/query-tags>', 'query tags'],
    ['[Load](xref:core/load#a-(b)-c)', 'Load'],
    ['[the `[Key]` attribute]( xref:core/key "x")', 'the `[Key]` attribute'],
    ['[](xref:A.B.Run)', '`Run`'],
    ['[1]: xref:core/load', '[1]: core/load'],
    ['[a](b.md) and [c](xref:d)', '[a](b.md) and c'],
  ]
  for (const [written, name] of names) expect(docfxToMarkdown(written)).toBe(name)
})

test('labels monikers and zones, and removes layout', () => {
  const text = `::: moniker range=">= aspnetcore-6.0"

New.

::: moniker-end

:::row:::
:::column:::
Left
:::column-end:::
:::row-end:::
:::image type="content" source="a.png" alt-text="A diagram":::
> [!div class="nextstepaction"]
> [Next](b.md)
`
  expect(docfxToMarkdown(text).replace(/\n+/g, '|')).toBe(
    '**>= aspnetcore-6.0:**|New.|Left|A diagram|> [Next](b.md)|',
  )
})

test('takes time proportional to the length of the page', () => {
  for (const piece of ['[', '](xref:', '<xref:', ':::', '[!INCLUDE [', '# [a](#tab/']) {
    const started = usedCpuMs()
    docfxToMarkdown(`${piece.repeat(30_000)}\n`)
    expect(usedCpuMs() - started).toBeLessThan(2000)
  }
})
