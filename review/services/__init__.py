"""Everything that changes a row of the review.

Each function is one transaction, or a part of its caller's.
"""

from review.drafts import Draft
from review.links import InviteLink
from review.services.changes import add_secondary, replace_reviewer, retire_stimulus
from review.services.cohort import set_cohort
from review.services.consent import consent_document, consent_of, give_consent
from review.services.drafts import save_draft, set_aside
from review.services.entering import SheetEntry, enter_sheet, enter_sheets
from review.services.forms import write_forms
from review.services.invites import issue_return_code, use_invite, use_return_code
from review.services.locking import lock_sheet, report_mistake, report_unplayable
from review.services.orders import plan_orders
from review.services.revoking import revoke_access
from review.services.welcome import (
    StoredFile,
    keep_training,
    note_practice,
    note_sound_check,
)

__all__ = [
    "Draft",
    "InviteLink",
    "SheetEntry",
    "StoredFile",
    "add_secondary",
    "consent_document",
    "consent_of",
    "enter_sheet",
    "enter_sheets",
    "give_consent",
    "issue_return_code",
    "keep_training",
    "lock_sheet",
    "note_practice",
    "note_sound_check",
    "plan_orders",
    "replace_reviewer",
    "report_mistake",
    "report_unplayable",
    "retire_stimulus",
    "revoke_access",
    "save_draft",
    "set_aside",
    "set_cohort",
    "use_invite",
    "use_return_code",
    "write_forms",
]
