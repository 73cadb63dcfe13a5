"""Fills the directory of the lab: users of every awkward kind, and groups in groups. Run while the server is down.

usage: fill.py SMB_CONF SAM_LDB
"""
import sys

import ldb
from samba.auth import system_session
from samba.param import LoadParm
from samba.samdb import SamDB

PASSWORD = "User-Pass!2026"
NORMAL, DISABLED, NEVER_EXPIRES = 512, 514, 0x10000

settings = LoadParm()
settings.load(sys.argv[1])
db = SamDB(url=sys.argv[2], session_info=system_session(), lp=settings)
base = str(db.domain_dn())


def place(name, unit):
    """The distinguished name below a unit; ldb escapes what has to be escaped."""
    dn = ldb.Dn(db, "OU=%s,%s" % (unit, base))
    dn.add_child(ldb.Dn(db, "CN=x"))
    dn.set_component(0, "CN", name)
    return dn


def change(dn, attribute, value, flag=ldb.FLAG_MOD_REPLACE):
    message = ldb.Message(dn if isinstance(dn, ldb.Dn) else ldb.Dn(db, dn))
    message[attribute] = ldb.MessageElement(value, flag, attribute)
    db.modify(message)


def user(account, name, password=PASSWORD, unit="People", control=NORMAL):
    dn = place(name, unit)
    db.add(
        {
            "dn": dn,
            "objectClass": "user",
            "sAMAccountName": account,
            "userPrincipalName": account + "@lab.example",
            "displayName": name,
        }
    )
    found = "(distinguishedName=%s)" % ldb.binary_encode(str(dn))
    db.setpassword(found, password, force_change_at_next_login=False)
    change(dn, "userAccountControl", str(control))
    return dn


def group(name, members=(), account=None):
    dn = place(name, "Groups")
    db.add({"dn": dn, "objectClass": "group", "sAMAccountName": account or name, "groupType": "-2147483646"})
    for member in members:
        change(dn, "member", str(member), ldb.FLAG_MOD_ADD)
    return dn


db.transaction_start()
for unit in ("People", "Groups", "Service"):
    db.add({"dn": "OU=%s,%s" % (unit, base), "objectClass": "organizationalUnit"})
change(base, "lockoutThreshold", "5")
change(base, "lockoutDuration", "-600000000")
change(base, "lockOutObservationWindow", "-600000000")

user("svc-bind", "svc-bind", "Svc-Bind!2026", "Service", NORMAL | NEVER_EXPIRES)
alice = user("alice", "Alice Admin")
nested = user("bob", "Bob Nested")
carol = user("carol", "Carol NoGroup")
disabled = user("dan.disabled", "Dan Disabled", control=DISABLED)
expired = user("eve.expired", "Eve Expired")
change(expired, "accountExpires", "131000000000000000")
must_change = user("max.mustchange", "Max MustChange")
change(must_change, "pwdLastSet", "0")
locked = user("lou.lockme", "Lou LockMe")
cyrillic = user("юлия", "Юлия Петрова", "Пароль-Юлии!2026")
awkward = user("john_qa", 'Smith, John (QA)*\\#1 "x" <y>; + = /z')
primary = user("pat.primary", "Pat Primary")
both = user("tw.o", "Two Roles")
leaving = user("lea.leaving", "Lea Leaving")

admins = group("Backup Admins", [alice, disabled, expired, must_change, locked, cyrillic, both, leaving])
team = group("Team L3", [nested])
group("Backup Supervisors", [group("Team L2", [team]), both])
group("Backup (Ops), *Star\\ & <b>", [awkward], "BackupOpsStar")
loop = group("Loop A")
change(loop, "member", str(group("Loop B", [loop, carol])), ldb.FLAG_MOD_ADD)
by_primary = group("Backup Primary", [primary])
token = db.search(by_primary, scope=ldb.SCOPE_BASE, attrs=["primaryGroupToken"])[0]["primaryGroupToken"]
change(primary, "primaryGroupID", str(token))
db.transaction_commit()
