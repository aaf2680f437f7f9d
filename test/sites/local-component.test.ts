import { expect, test } from 'bun:test'
import { siteText, type SiteSource } from '../support/page/site-pages.ts'

const starlight: SiteSource = {
  generator: 'starlight',
  config: 'astro.config.mjs',
  files: {
    'astro.config.mjs': 'import starlight from "@astrojs/starlight"',
    'src/parts/Since.astro':
      '---\nconst { v: version, pkg = "kettle", beta } = Astro.props\nconst whole = `${pkg}@${version}`\n---\n' +
      '<!-- x --><span class={size}>Added in <code>{whole}</code>{beta && <b> {beta}</b>}</span>\n',
    'src/parts/Sum.astro': '<p>{add(Astro.props.v)}</p>',
    'src/parts/List.astro': '<ul set:html={rows} />',
  },
}

async function check(source: SiteSource, text: string, expected: string): Promise<void> {
  const path = source === starlight ? 'src/content/docs/a.mdx' : 'docs/a.mdx'
  expect((await siteText(source, text, path)).trim()).toBe(expected)
}

test('shows plain components of Astro with the attributes of their tags', async () => {
  await check(starlight, 'Lid: <Since v="3.4" />.', 'Lid: Added in `kettle@3.4`.')
  await check(
    starlight,
    'Lid: <Since v="3" pkg="lid" beta="soon"></Since>.',
    'Lid: Added in `lid@3` **soon**.',
  )
  await check(starlight, '`<Since v="1" />`', '`<Since v="1" />`')
  await check(starlight, 'Lid <Sum v="3.4" /> <List v="4" />', 'Lid 3.4 4')
})

test('shows plain components of Vue and React', async () => {
  const vue = {
    '.vitepress/config.ts': '',
    '.vitepress/theme/Since.vue':
      '<script setup>\ndefineProps({ v: String, url: String })\n</script>\n' +
      '<template>\n  <i>Since <a :href="url">{{ v }}</a></i>\n</template>\n',
  }
  const react = {
    'docusaurus.config.js': '',
    'src/Since.jsx': 'export default ({ v, of = "lid" }) => (\n  <i>Since {of} {v ?? "1"}</i>\n)\n',
    'src/Until.tsx':
      'export function Until({ v }: Props) {\n  return <i>Until {v || "9"}</i>;\n}\n',
  }
  const text = 'A <Since v="2" url="https://x.org" /> b'
  const site: SiteSource = { generator: 'vitepress', config: '.vitepress/config.ts', files: vue }
  await check(site, text, 'A *Since [2](https://x.org)* b')
  const other: SiteSource = {
    generator: 'docusaurus',
    config: 'docusaurus.config.js',
    files: react,
  }
  await check(other, `${text} <Until />`, 'A *Since lid 2* b *Until 9*')
})

test('fills in values of the front matter', async () => {
  const text = '---\ntitle: Lid\n---\nA {frontMatter.title} {frontMatter.x} `{frontMatter.title}`'
  await check(starlight, text, 'A Lid {frontMatter.x} `{frontMatter.title}`')
  const files = { '.vitepress/config.ts': '' }
  const site: SiteSource = { generator: 'vitepress', config: '.vitepress/config.ts', files }
  await check(site, '---\ntitle: Lid\n---\n# The {{ $frontmatter.title }}', '# The Lid')
})

test('keeps marks in code only on sites that show them', async () => {
  const code = '```js\nlog(1) // [!code focus]\n```'
  await check(starlight, code, code)
  const files = { '.vitepress/config.ts': '' }
  const site: SiteSource = { generator: 'vitepress', config: '.vitepress/config.ts', files }
  await check(site, code, '```js\nlog(1)\n```')
})
