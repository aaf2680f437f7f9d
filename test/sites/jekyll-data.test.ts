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
    'LID 2, Spout,',
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

test('runs includes with their arguments', async () => {
  const files = {
    ...source.files,
    '_config.yml': 'title: Kettle\nversion: 2.1\n',
    '_includes/note.html':
      '{% comment %}x{% endcomment %}<div>\n  <b>{{ include.title }}</b>\n  {{ include.content | markdownify }}\n</div>\n',
    '_includes/badge.html':
      '{% if include.of %}{{ include.of | upcase }} {% endif %}v{{ site.version }}',
    '_includes/tip.md':
      '**{{ include.kind | capitalize }}**: {% include badge.html of=include.kind %}\n',
    '_includes/odd.html': '{% frobnicate x %}{{ include.a }}',
    '_includes/chart.html': '<canvas data-rows="{{ include.rows }}"></canvas>',
  }
  const shown = async (text: string) =>
    (await siteText({ ...source, files }, text, 'a.md')).replace(/\n{2,}/g, '\n').trim()
  expect(await shown('{% include note.html title="Mind" content="It is *hot*." %}')).toBe(
    '**Mind**\nIt is *hot*.',
  )
  expect(await shown('Use {% include badge.html %} now.')).toBe('Use v2.1 now.')
  expect(await shown('{% include tip.md kind="tip" %}')).toBe('**Tip**: TIP v2.1')
  for (const kept of ['odd.html a="b c"', 'chart.html rows="1,2"', 'gone.html a="b c"'])
    expect(await shown(`{% include ${kept} %}`)).toBe(`{% include ${kept} %}`)
})

test('fills assigned, captured and plain values, and shows one branch of a condition', async () => {
  await check(
    '{% assign v = "9" | append: ".1" %}{% capture c %}lid{% endcapture %}V{{ v }} {{ c }} {{ site.title | downcase }}',
    'V9.1 lid kettle',
  )
  await check('{% if site.title == "Kettle" %}Yes{% else %}No{% endif %}', 'Yes')
  await check('{% if site.gone %}Yes{% else %}No{% endif %}', 'YesNo')
})

test('keeps unknown tags with arguments, and removes settings of kramdown', async () => {
  await check('{% frob a="b" %}{% box warm %}in{% endbox %}', '{% frob a="b" %}in')
  await check('{::options toc_levels="2" /}\n{:toc}\n\n{::nomarkdown}a{:/}', 'a')
})
