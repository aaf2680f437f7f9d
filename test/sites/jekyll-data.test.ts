import { expect, test } from 'bun:test'
import { siteText, type SiteSource } from '../support/page/site-pages.ts'

const source: SiteSource = {
  generator: 'jekyll',
  config: '_config.yml',
  root: '',
  files: {
    '_config.yml': 'title: Kettle\n',
    '_data/parts.yml': '- name: Lid\n  size: 2\n- name: Spout\n  notes: [hot, thin]\n  old: true\n',
    '_data/tea/green.yml': 'minutes: 3\n',
  },
}

async function check(text: string, expected: string): Promise<void> {
  expect((await siteText(source, text, 'a.md')).trim()).toBe(expected)
}

test('runs loops over data, with nested loops, conditions and arguments of includes', async () => {
  await check(
    '{% for part in site.data.parts %}{% if part.old %}{% include badge.html version=part.name %}' +
      '{% elsif part.size == 3 %}x{% else %}{{ part.name | upcase }} {{ part.size }}{% endif %}, {% endfor %}',
    'Lid 2, Spout,',
  )
  await check(
    '{% for p in site.data.parts %}{% for n in p.notes %}<b>{{ n }}</b>.{% endfor %}{% endfor %}',
    '**hot**.**thin**.',
  )
  await check(
    '{% assign all = site.data.parts %}{% for p in all %}{% unless p.old %}{{ p.name }}{% endunless %}{% endfor %}{{ site.data.tea.green.minutes }}',
    'Lid3',
  )
})

test('keeps raw text and loops over unknown collections', async () => {
  const raw = '`{{ site.data.tea.green.minutes }}`'
  await check(`{% raw %}${raw}{% endraw %}`, raw)
  await check('{% for p in site.pages %}- x{% endfor %} {{ site.data.gone.x }}', '- x')
})

test('stops at a text that grows too much', async () => {
  const loops = '{% for a in site.data.parts %}'.repeat(9)
  const text = `${loops}${'x'.repeat(20_000)}${'{% endfor %}'.repeat(9)}`
  await expect(siteText(source, text, 'a.md')).rejects.toThrow('grows to more than')
})
