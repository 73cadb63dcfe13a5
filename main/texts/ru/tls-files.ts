import type { Translated } from '../../../contract/texts/create-texts.ts';
import type * as en from '../en/tls-files.ts';

export const tlsFiles: Translated<typeof en.tlsFiles> = {
  unusable: '{{field}}: {{reason}}',
  fields: {
    caFile: 'Файл удостоверяющих центров',
    certificateFile: 'Клиентский сертификат',
    keyFile: 'Ключ клиентского сертификата',
    keyPassphrase: 'Пароль ключа',
  },
  tooLarge: 'Он больше 1 МиБ.',
  noCertificate: 'В нём нет сертификата. Выберите файл PEM со строкой «BEGIN CERTIFICATE».',
  brokenCertificate: 'Сертификат в нём повреждён. Получите файл заново у того, кто его создал.',
  noKey: 'В нём нет закрытого ключа. Выберите файл PEM со строкой «BEGIN PRIVATE KEY».',
  brokenKey: 'Ключ в нём не читается. Получите файл заново у того, кто его создал.',
  notTogether: 'Этот ключ не подходит к клиентскому сертификату. Выберите ключ, созданный вместе с ним.',
  expired: 'Срок сертификата в нём истёк: {{date}}. Получите новый у администратора.',
  certificateMissing: 'Ключу нужен его сертификат. Выберите и его или уберите ключ.',
  keyMissing: 'Клиентскому сертификату нужен его ключ. Выберите и его или уберите сертификат.',
  passphraseNeeded: 'Ключ запечатан. Введите его пароль.',
  passphraseWrong: 'Он не открывает ключ. Введите пароль, которым ключ был запечатан.',
};
