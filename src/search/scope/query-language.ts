/**
 * Detects a query's language, such as `de`. Returns null if it is unclear, as for identifiers and
 * single words. Tests the script, and then each language's function words, because a query is too
 * short for letter statistics.
 */
export function detectQueryLanguage(text: string): string | null {
  return scriptLanguage(text) ?? wordLanguage(text)
}

const scripts: [RegExp, string][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/u, 'ja'],
  [/\p{Script=Hangul}/u, 'ko'],
  [/\p{Script=Han}/u, 'zh'],
  [/[іїєґ]/iu, 'uk'],
  [/\p{Script=Cyrillic}/u, 'ru'],
  [/\p{Script=Greek}{2}/u, 'el'],
  [/[پچژگ]/u, 'fa'],
  [/\p{Script=Arabic}/u, 'ar'],
  [/\p{Script=Hebrew}/u, 'he'],
  [/\p{Script=Thai}/u, 'th'],
  [/\p{Script=Devanagari}/u, 'hi'],
]

function scriptLanguage(text: string): string | null {
  return scripts.find(([script]) => script.test(text))?.[1] ?? null
}

/**
 * Returns the language with the most function words, if it has at least two points and more than
 * any other. A letter that only this language uses counts one point. English needs only one point.
 */
function wordLanguage(text: string): string | null {
  const words = text.toLowerCase().match(/[\p{L}']+/gu) ?? []
  const counts = Object.entries(languages).map(([language, { functionWords, letters }]) => {
    const nWords = words.filter((word) => functionWords.has(word)).length
    return { language, score: nWords + (letters?.test(text) ? 1 : 0) }
  })
  const [best, next] = counts.sort((a, b) => b.score - a.score)
  const isClear = best!.score >= 2 || (best!.score === 1 && best!.language === 'en')
  return isClear && best!.score > next!.score ? best!.language : null
}

type Language = { functionWords: Set<string>; letters?: RegExp }

const languages: Record<string, Language> = {
  en: {
    functionWords: wordSet(
      'the of and to in is are how do does what which when where why who can with for on from ' +
        'not my an it i be use using does without should between after before into a as no at by ' +
        'if or so this that all any has have me',
    ),
  },
  de: {
    functionWords: wordSet(
      'der die das den dem des ein eine einen einem einer ich wie man mit und oder nicht ist ' +
        'sind wird werden kann für auf von zu zum zur im wo was warum welche welcher wenn nach ' +
        'ohne bei aus als über durch meine mein es gibt mehrere zwischen',
    ),
    letters: /[äöüß]/i,
  },
  fr: {
    functionWords: wordSet(
      'le la les un une des du de et ou est sont comment dans pour avec sur par que qui quoi ' +
        'pourquoi quand je on ne pas plusieurs sans entre mon ma mes au aux ce cette faire à',
    ),
    letters: /[èêàùçœ]/i,
  },
  es: {
    functionWords: wordSet(
      'el la los las un una unos de del y o es son cómo como en para con por que qué quién ' +
        'cuándo dónde se no mi sin entre puedo hacer varios al lo su sobre cuál',
    ),
    letters: /[ñ¿¡]/i,
  },
  pt: {
    functionWords: wordSet(
      'o um uma de da dos das e ou é são como em na para com por que quem quando ' +
        'onde se não meu minha sem entre posso fazer vários ao sobre qual eu',
    ),
    letters: /[ãõ]/i,
  },
  it: {
    functionWords: wordSet(
      'il lo la gli le un una di del della dei e o è sono come in nel per con che chi quando ' +
        'dove si non mio senza tra posso fare più al sul quale perché',
    ),
  },
  nl: {
    functionWords: wordSet(
      'de het een en of is zijn hoe in op voor met van dat wat wie waar wanneer ik niet mijn ' +
        'zonder tussen kan doen meerdere aan naar bij welke wordt',
    ),
  },
  pl: {
    functionWords: wordSet(
      'jak w na do z i lub nie jest są co gdzie kiedy dlaczego przez bez dla się',
    ),
    letters: /[ąęłśżźć]/i,
  },
  tr: {
    functionWords: wordSet('bir ve veya nasıl için ile ne nerede neden mi bu da de olan olarak'),
    letters: /[ığş]/i,
  },
}

function wordSet(list: string): Set<string> {
  return new Set(list.split(' '))
}
