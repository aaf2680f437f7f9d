import { wordMap } from '../../document/word-set.ts'
import {
  addWords,
  beginCode,
  endCode,
  endParagraph,
  manTitle,
  writeHeading,
  type ManState,
} from './man-state.ts'
import { roffToMarkdown, type RoffRequest } from './roff.ts'

/** Runs a line of mdoc macros. Returns false for any other line. */
export function runMdocLine(page: ManState, request: RoffRequest): boolean {
  const run = Object.hasOwn(blocks, request.name) ? blocks[request.name] : undefined
  if (run !== undefined) {
    run(page, request)
    return true
  }
  if (!marks.has(request.name)) return false
  const words = inlineText([request.name, ...request.args], page)
  if (page.code !== null) page.code.push(words.replace(/[*`]/g, ''))
  else {
    if (page.isSynopsis && /^(?:Nm|Fn|Fd|Ft|In)$/.test(request.name)) endParagraph(page)
    addWords(page, words)
  }
  return true
}

const blocks: Record<string, (page: ManState, request: RoffRequest) => void> = {
  Dd: () => {},
  Os: () => {},
  Bk: () => {},
  Ek: () => {},
  Dt(page, { args: [name = '', section = ''] }) {
    page.title = manTitle(name, section)
  },
  Sh: (page, { args }) =>
    writeHeading(page, { level: 2, words: args.map((it) => roffToMarkdown(it)).join(' ') }),
  Ss: (page, { args }) => writeHeading(page, { level: 3, words: inlineText(args, page) }),
  Pp: endParagraph,
  Lp: endParagraph,
  Bd: (page, { rest }) =>
    /-(?:literal|unfilled)/.test(rest) ? beginCode(page) : endParagraph(page),
  Ed: (page) => {
    endParagraph(page)
    endCode(page)
  },
  D1: (page, { args }) => {
    endParagraph(page)
    page.out.push(inlineText(args, page), '')
  },
  Dl: (page, { args }) => {
    endParagraph(page)
    page.out.push('```', inlineText(args, page).replace(/[*`]/g, ''), '```', '')
  },
  Bl(page, { args: [kind = ''] }) {
    endParagraph(page)
    page.lists.push(kind)
    page.indent = page.lists.length - 1
  },
  El(page) {
    endParagraph(page)
    page.lists.pop()
    page.indent = Math.max(0, page.lists.length - 1)
  },
  It(page, { args }) {
    endParagraph(page)
    page.term = args.length === 0 ? null : inlineText(args, page)
    if (page.term === null) page.paragraph.push('-')
  },
  Nd: (page, { args }) => addWords(page, `— ${inlineText(args, page)}`),
}

/** Macros that mark their words: names and options as code or bold, arguments as italic. */
const marks = new Map<string, string>([
  ...named('`', 'Fl Cm Ic Pa Va Vt Fn Ft Fa Dv Ev Er Li Ql In Fd Cd Fo'),
  ...named('**', 'Nm Sy'),
  ...named('*', 'Ar Em %T %B %J'),
  ...named(
    '',
    'Xr Op Oo Oc Brq Pq Dq Sq Qq Aq Bq An Aud Bx Fx Ox Nx Dx St Ux Lk Mt Ns Ap No Tn Sx Ms Ad ' +
      'Xo Xc Po Pc Do Dc So Sc Qo Qc Ao Ac Bo Bc Pf Rs Re Ex Rv Lb Fc %A %D %R %N %V %P %I %O ' +
      '%U Nd',
  ),
])

function named(mark: string, names: string): [string, string][] {
  return names.split(' ').map((name) => [name, mark])
}

/** Macros that enclose words: the name, and the characters before and after; `_` means none. */
const enclosing = new Map(
  (
    'Op[] Oo[_ Oc_] Pq() Dq“” Sq‘’ Qq"" Aq<> Bq[] Brq{} Ql__ ' +
    'Po(_ Pc_) Do“_ Dc_” So‘_ Sc_’ Ao<_ Ac_> Bo[_ Bc_] Qo"_ Qc_"'
  )
    .split(' ')
    .map((word) => [word.slice(0, -2), [...word.slice(-2)].map((it) => it.replace('_', ''))]),
)

const systems = wordMap('Bx:BSD Fx:FreeBSD Ox:OpenBSD Nx:NetBSD Dx:DragonFly Ux:UNIX')

/** Converts words and macros to text: `Op Fl v Ar file` → ``[`-v` *file*]``. */
function inlineText(words: readonly string[], page: ManState): string {
  let out = ''
  let after = ''
  let isTight = true
  const add = (word: string, tight = false) => {
    const gap = isTight || tight || out === '' || /^[.,:;)\]?!]+$/.test(word) ? '' : ' '
    out += gap + word
    isTight = /[([]$/.test(word) && word.length === 1
  }
  for (let at = 0; at < words.length && at < 500; ) {
    const name = words[at]!
    if (!marks.has(name)) {
      add(roffToMarkdown(name))
      at++
      continue
    }
    let end = at + 1
    while (end < words.length && !marks.has(words[end]!) && !/^[.,:;)\]?!]+$/.test(words[end]!))
      end++
    const args = words.slice(at + 1, end).map((word) => roffToMarkdown(word))
    at = end
    if (name === 'Ns' || name === 'Ap') {
      isTight = true
      if (name === 'Ap') add("'", true)
      isTight = true
      for (const word of args) add(word)
      continue
    }
    const [open = '', close = ''] = enclosing.get(name) ?? []
    if (open !== '') {
      add(open)
      isTight = true
    }
    if (enclosing.has(name)) {
      for (const word of args) add(word)
      // Open brackets and quotes are closed at the end of the line.
      if (open !== '' && close !== '') after = close + after
      else if (close !== '') add(close, true)
    } else add(markedText(name, args, page))
  }
  return out + after
}

function markedText(name: string, args: string[], page: ManState): string {
  if (name === 'Nm') {
    if (args[0]) page.name ||= args[0]
    return `**${args.join(' ') || page.name}**`
  }
  if (name === 'Xr') return args.length > 1 ? `${args[0]}(${args[1]})` : args.join('')
  if (name === 'Fl') return args.length === 0 ? '`-`' : args.map((it) => `\`-${it}\``).join(' ')
  if (name === 'Fn') return `\`${args[0] ?? ''}(${args.slice(1).join(', ')})\``
  if (name === 'In') return `\`#include <${args.join(' ')}>\``
  if (name === 'Ar' && args.length === 0) return '*file ...*'
  if (name === 'Ex') return 'It exits 0 on success, and >0 if an error occurs.'
  if (systems.has(name)) return [systems.get(name), ...args].join(' ')
  if (name === 'Lk')
    return args.length > 1 ? `[${args.slice(1).join(' ')}](${args[0]})` : `<${args[0]}>`
  const text = args.join(' ')
  const mark = marks.get(name) ?? ''
  return text === '' || text.includes('*') || text.includes('`') ? text : mark + text + mark
}
