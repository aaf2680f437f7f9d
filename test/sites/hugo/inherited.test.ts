import { expect, test } from 'bun:test'
import { siteText, type SiteSource } from '../../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'hugo',
  config: 'config.yaml',
  files: {
    'config.yaml': 'baseURL: https://x.org\n',
    'content/_index.md': '---\ncascade:\n  tag: v1\n  PRODUCT: Loki\n---\n',
    'content/v2/_index.md': '---\ncascade:\n  params:\n    tag: v2\n---\n',
    'layouts/shortcodes/short.html': '{{ substr (.Page.Param (.Get 0)) 1 }}\n',
  },
}

test('inherits parameters from the sections around a page, and runs templates of shortcodes', async () => {
  const text =
    'A {{< param tag >}} of {{< param "PRODUCT" >}}, {{< short tag >}} {{< param none >}}.\n'
  expect(await siteText(source, text, 'content/v2/a.md')).toBe(
    'A v2 of Loki, 2 {{< param none >}}.\n',
  )
  expect(await siteText(source, `---\ntag: own\n---\n${text}`, 'content/a.md')).toBe(
    'A own of Loki, wn {{< param none >}}.\n',
  )
})

test('runs the template of the section of a page, with parameters in a file of their own', async () => {
  const files = {
    'config/_default/hugo.yaml': 'baseURL: https://x.org\n',
    'config/_default/params.yaml': 'tag: v3\n',
    'layouts/docs/_shortcodes/box.html': '<table><tr><td>{{ site.Params.tag }}</td></tr></table>',
    'layouts/_shortcodes/box.html': 'other',
  }
  const site: SiteSource = { generator: 'hugo', config: 'config/_default/hugo.yaml', files }
  const shown = await siteText(site, 'A\n\n{{< box >}}\n\nB\n', 'content/docs/a.md')
  expect(shown.replace(/\n{3,}/g, '\n\n')).toBe('A\n\n|  |\n|---|\n| v3 |\n\nB\n')
})

test('fills placeholders in links', async () => {
  expect(
    await siteText(source, 'See [a](https://x/<PRODUCT>/<A_VERSION>/b).\n', 'content/a.md'),
  ).toBe('See [a](https://x/Loki/latest/b).\n')
})

test('inherits parameters of lists and of TOML below the parameters of the page', async () => {
  const files = {
    'hugo.toml': 'baseURL = "https://x.org"\n[[cascade]]\n  kind = "site"\n',
    'content/_index.md':
      '+++\n[[cascade]]\n  tag = "v1"\n  [cascade.params]\n  image = "x:1"\n+++\n',
    'content/v2/_index.md': '---\ncascade:\n- _target: {kind: page}\n  tag: v2\n---\n',
  }
  const site: SiteSource = { generator: 'hugo', config: 'hugo.toml', files }
  const text = '{{< param tag >}} {{< param image >}} {{< param kind >}} {{< param own >}}\n'
  expect(await siteText(site, text, 'content/v2/a.md')).toBe('v2 x:1 site {{< param own >}}\n')
  expect(await siteText(site, `---\nparams:\n  own: mine\n---\n${text}`, 'content/a.md')).toBe(
    'v1 x:1 site mine\n',
  )
})

test('shows the text that a template writes around the content of a shortcode', async () => {
  const files = {
    ...source.files,
    'layouts/shortcodes/frame.html': '<div><h4>{{ .Get "title" }}</h4>{{ .Inner }}</div>',
    'layouts/shortcodes/nothing.html': '{{ with .Get "x" }}{{ . }}{{ end }}',
    'layouts/shortcodes/gone.html': '{{ .Page.Param "gone" | upper }}',
  }
  const text =
    '{{< frame title="Care" >}}\nInner *text*\n{{< /frame >}}\n\nA{{< nothing >}} {{< gone >}}\n'
  const shown = await siteText({ ...source, files }, text, 'content/a.md')
  expect(shown.replace(/\n{2,}/g, '\n')).toBe(
    '#### Care\nInner *text*\nA{{< nothing >}} {{< gone >}}\n',
  )
})

test('keeps a shortcode whose template drops its arguments, and removes layout', async () => {
  const files = {
    ...source.files,
    'layouts/shortcodes/chart.html': '<canvas data-rows="{{ .Get "rows" }}"></canvas>',
    'layouts/shortcodes/clip.html': '<video src="{{ .Get "src" }}"></video>',
    'layouts/shortcodes/gap.html': '<div class="gap"></div>',
  }
  const text = 'A{{< chart rows="1,2" >}}B{{< clip src="a.mp4" >}}C{{< gap >}}D\n'
  const shown = await siteText({ ...source, files }, text, 'content/a.md')
  expect(shown).toStartWith('A{{< chart rows="1,2" >}}B')
  expect(shown).not.toContain('{{< gap')
  expect(shown).not.toContain('{{< clip')
})

test('fills placeholders in definitions of links', async () => {
  const text = '[a][b] `<A_VERSION>`\n\n[b]: https://x/<PRODUCT>/<A_VERSION>/b\n'
  expect(await siteText(source, text, 'content/a.md')).toBe(
    '[a][b] `<A_VERSION>`\n\n[b]: https://x/Loki/latest/b\n',
  )
})
