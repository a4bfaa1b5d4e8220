import { NativeSelect, type NativeSelectProps } from '@mantine/core'
import { chooseLanguage, type LanguageCode, language, languages } from '../../words/language.ts'
import { t } from '../../words/sentences.tsx'

/** Selects the language of the console. Each language has its own name, for a person who reads no other one. */
export function LanguageSelect(props: Pick<NativeSelectProps, 'visibleFrom' | 'hiddenFrom' | 'm'>) {
  return (
    <NativeSelect
      {...props}
      size="xs"
      aria-label={t('Language')}
      value={language}
      data={Object.entries(languages).map(([value, label]) => ({ value, label }))}
      // Safe: the options are the codes.
      onChange={({ currentTarget }) => chooseLanguage(currentTarget.value as LanguageCode)}
    />
  )
}
