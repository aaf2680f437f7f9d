/** Stems French plurals, feminine forms and verb forms. */

const endings = new RegExp(
  '^(.{3,}?)(?:iss(?:ent|ant|ons|ez|e)|i?(?:erons|eront|aient|ant(?:e|es)?|ions|ons|ent|ait|era|' +
    'ees|ee|er|ez|es|e)|ir|it|is|ie?)$',
)

export function frenchStem(word: string): string {
  const stem = endings.exec(word.replace(/[sx]$/, ''))?.[1] ?? word.replace(/[sx]$/, '')
  return stem.replace(/y$/, 'i')
}
