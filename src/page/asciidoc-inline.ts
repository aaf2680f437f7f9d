/** A line of AsciiDoc as Markdown: links, emphasis, attributes; what is between ticks stays. */
export function asciidocInline(line: string, attributes: ReadonlyMap<string, string>): string {
  const whole = line.replace(/\{([\w-]+)\}/g, (written: string, name: string) =>
    attributes.get(name.toLowerCase()) ?? characters[name.toLowerCase()] ?? written)
  return whole.split(/(``[^`]+``|`[^`]+`)/).map((part, index) =>
    index % 2 === 1 ? literal(part) : plain(part)).join('')
}

const characters: Record<string, string> = {
  nbsp: ' ', zwsp: '', sp: ' ', apos: "'", quot: '"', lt: '<', gt: '>', amp: '&', empty: '',
  vbar: '|', plus: '+', asterisk: '*', backtick: '`', 'two-colons': '::', startsb: '[', endsb: ']',
}

/** `` `+literal+` `` keeps what is between the signs. */
function literal(code: string): string {
  return code.replace(/^(`+)\+(.*)\+\1$/, '$1$2$1')
}

function plain(text: string): string {
  return text
    .replace(/\[\[[^\]]*\]\]|anchor:[\w.-]+\[[^\]]*\]/g, '')
    .replace(/<<([^<>,]+)(?:,\s*([^<>]+))?>>/g, (_, id: string, words?: string) =>
      words ?? id.replace(/^.*#/, ''))
    .replace(/xref:([^\s[\]]{1,2000})\[([^\]]*)\]/g, (_, target: string, words: string) =>
      words === '' ? target.replace(/^.*[#/]|\.adoc$/g, '') : words)
    .replace(linked, (_, url: string, said: string) => link(url, said))
    .replace(/image::?([^\s[\]]{1,2000})\[([^\]]*)\]/g, (_, source: string, said: string) =>
      `![${/^\s*"?([^",=]*)"?(?:,|$)/.exec(said)?.[1] ?? ''}](${source})`)
    .replace(/(?:kbd|btn|menu|footnote|pass|stem):(?:[\w-]*:)?\w*\[([^\]]*)\]/g, '$1')
    .replace(/(?<![\w*])\*(?=\S)([^*\n]+?)(?<=\S)\*(?![\w*])/g, '**$1**')
    .replace(/(?<!\w)#(?=[^\s#])([^#\n]+?)#(?!\w)/g, '$1')
    .replace(/ \+$/, '  ')
}

const linked = /(?:link:|(?=https?:\/\/))([^\s[\]<>]{1,2000})\[([^\]]*)\]/g

function link(url: string, said: string): string {
  const words = said.replace(/,?\s*(?:window|role|opts)=.*$|\^$/g, '').replace(/^"(.*)"$/, '$1')
  return words === '' ? url : `[${words}](${url})`
}
