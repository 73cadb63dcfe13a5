import type { ReactNode } from 'react';
import type { Client } from '../../contract/clients/client.ts';
import type { FieldErrors } from '../../contract/problem.ts';
import type { Copy } from '../../contract/repository/copy.ts';
import type { ChoiceSearch } from '../ui/index.ts';

/** Every dialog of the window; one is open at a time. */
export type OpenDialog =
  | { readonly kind: 'addConnection' }
  | { readonly kind: 'importConnections' }
  | { readonly kind: 'exportConnections' }
  | { readonly kind: 'openBundle' }
  | { readonly kind: 'saveBundle'; readonly connectionId: string }
  | { readonly kind: 'signIn'; readonly connectionId: string }
  | { readonly kind: 'rights'; readonly connectionId: string }
  | {
      readonly kind: 'newBackup';
      readonly connectionId: string;
      /** The one to begin with. */
      readonly client?: Client;
    }
  | { readonly kind: 'restore'; readonly connectionId: string; readonly copy: Copy }
  | { readonly kind: 'keepUntil'; readonly connectionId: string; readonly copy: Copy }
  | { readonly kind: 'copyCatalogue'; readonly connectionId: string }
  | { readonly kind: 'removeCopies'; readonly connectionId: string; readonly copies: readonly Copy[] }
  | { readonly kind: 'remove'; readonly title: string; readonly removal: Removal }
  | { readonly kind: 'form'; readonly form: FormRequest }
  /** A dialog of one screen alone, which draws it. */
  | { readonly kind: 'own'; readonly draw: (close: () => void) => ReactNode }
  | { readonly kind: 'palette' }
  | { readonly kind: 'keys' }
  | { readonly kind: 'preferences' }
  | { readonly kind: 'about' };

/** Something that takes objects away. `consequences` is asked when the dialog opens. */
export interface Removal {
  readonly items: readonly string[];
  /** On the button, where the title does not say “delete”. */
  readonly submitLabel?: string;
  readonly consequences?: () => Promise<readonly string[]>;
  /** Answers what could not be removed, one reason a line; an empty list closes the dialog. */
  readonly remove: () => Promise<readonly string[]>;
}

export interface FormField {
  readonly name: string;
  readonly label: string;
  /** Of `text`: goes on after the label, outside of the field's name. */
  readonly labelNote?: string | undefined;
  readonly type: 'text' | 'textarea' | 'password' | 'number' | 'checkbox' | 'select' | 'checks';
  readonly help?: string;
  /** Of `checks` the value is those that are ticked, with commas between. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Of `select`: how choices are found that are not among these. */
  readonly search?: ChoiceSearch;
  readonly list?: readonly string[];
  /** The field is shown only while this holds for what is chosen elsewhere in the form. */
  readonly when?: (values: Readonly<Record<string, string | boolean>>) => boolean;
  /** Neighbours of one section stand under its name. A form that has sections is a panel at the side. */
  readonly section?: string;
  /** Neighbours of one group are folded away under its name. */
  readonly group?: string;
}

/** A form: its fields, what they begin with, and what happens with them. */
export interface FormRequest {
  readonly title: string;
  readonly submitLabel: string;
  readonly summary?: string;
  readonly fields: readonly FormField[];
  readonly initial: Readonly<Record<string, string | boolean>>;
  /** Beside the fields, in a wider panel: what the values lead to. It may tell what is wrong with them, by field. */
  readonly aside?: (
    values: Readonly<Record<string, string | boolean>>,
    onErrors: (errors: FieldErrors) => void,
  ) => ReactNode;
  readonly submit: (values: Readonly<Record<string, string | boolean>>) => Promise<void>;
}
