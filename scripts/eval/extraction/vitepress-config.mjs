// Builds Vite's documentation with the default theme of VitePress and the usual navigation of a
// website.
import { readdirSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const pages = (folder) =>
  readdirSync(new URL(`../${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.md'))
    .map((name) => ({
      text: name.replace('.md', ''),
      link: `/${folder}/${name.replace('.md', '')}`,
    }))

/** Replaces pictures and components of the website, which are not in the corpus. */
const absent = {
  name: 'absent',
  enforce: 'pre',
  resolveId: (id, from = '') =>
    from.includes('.md') && /^\.\.?\/[^?]*\.(?:svg|png|vue)/.test(id) ? '\0absent' : null,
  load: (id) => (id === '\0absent' ? 'export default ""' : null),
}

export default defineConfig({
  title: 'Vite',
  description: 'Next Generation Frontend Tooling',
  ignoreDeadLinks: true,
  srcExclude: ['index.md', 'blog.md', 'team.md', 'README.md'],
  sitemap: { hostname: 'https://vite.example' },
  vue: { template: { transformAssetUrls: false } },
  vite: { plugins: [absent] },
  themeConfig: {
    nav: [
      { text: 'Guide', link: '/guide/' },
      { text: 'Config', link: '/config/' },
    ],
    sidebar: [
      { text: 'Guide', items: pages('guide') },
      { text: 'Config', items: pages('config') },
      { text: 'Changes', items: pages('changes') },
    ],
    editLink: {
      pattern: 'https://git.example/vite/edit/main/docs/:path',
      text: 'Suggest changes to this page',
    },
    footer: { message: 'Released under the MIT License.', copyright: 'Copyright © the authors' },
    lastUpdated: {},
    outline: { level: [2, 3] },
  },
})
